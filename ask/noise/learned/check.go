// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpverify/ask/noise"
	"dpverify/float/learn"
	"dpverify/internal/number"
	"dpverify/internal/show"
)

// Check says what is wrong with a wish, and chooses a cell.
func (w *Wish) Check() error {
	switch {
	case (w.Delta == nil) == (w.Utility == nil):
		return errors.New("want either a δ or a utility loss")
	case w.Delta != nil && (w.Delta.Sign() <= 0 || w.Delta.Cmp(big.NewRat(1, 1)) >= 0):
		return fmt.Errorf("delta = %s, want a number in (0, 1)", show.Cut(number.Format(w.Delta)))
	case w.Utility != nil && w.Utility.Sign() <= 0:
		return fmt.Errorf("utility = %s, want a number > 0", show.Cut(number.Format(w.Utility)))
	case w.Compositions < 1 || w.Compositions > MaxCompositions:
		return fmt.Errorf("compositions = %d, want an integer in [1, %d]", w.Compositions, MaxCompositions)
	case w.Rate.Sign() <= 0 || w.Rate.Cmp(one) > 0:
		return fmt.Errorf("sampling probability = %s, want a number in (0, 1]", show.Cut(number.Format(w.Rate)))
	case w.Radius.Sign() <= 0 || w.Sensitivity.Sign() <= 0:
		return errors.New("range and sensitivity: want numbers > 0")
	case w.Epsilon.Sign() < 0:
		return fmt.Errorf("epsilon = %s, want a number >= 0", show.Cut(number.Format(w.Epsilon)))
	}
	if number.Float64(w.Epsilon) > 500 {
		return fmt.Errorf("epsilon = %s, want at most 500", show.Cut(number.Format(w.Epsilon)))
	}
	if w.Cell == nil {
		w.Cell = w.chooseCell()
	}
	g, err := noise.NewGrid(w.Radius, w.Sensitivity, w.Cell)
	if err != nil {
		return err
	}
	if w.AnyShape {
		return w.checkShape(g)
	}
	const most = 1 << 16
	if 2*g.N+g.Shift > most || g.N < 2 {
		return fmt.Errorf("range = %s, want between 2 and %d cells of %s", show.Cut(number.Format(w.Radius)),
			(most-g.Shift)/2, show.Cut(number.Format(w.Cell)))
	}
	return nil
}

// chooseCell divides the sensitivity into 4 cells, more where the range is short: into up to 10, for
// one release 100, as long as they are about 2000 on either side. The range has to be a
// multiple of the cell: where it is none the sensitivity is divided by their common measure.
func (w *Wish) chooseCell() *big.Rat {
	ratio, _ := new(big.Rat).Quo(w.Radius, w.Sensitivity).Float64()
	most := 10.0
	if w.Compositions == 1 && !w.AnyShape {
		most = 100
	}
	parts := int64(math.Max(4, math.Min(most, 2000/ratio)))
	for _, k := range []int64{parts, parts + 1, parts + 2, parts + 3, parts - 1, parts - 2} {
		if k < 1 {
			continue
		}
		cell := new(big.Rat).Mul(w.Sensitivity, big.NewRat(1, k))
		if new(big.Rat).Quo(w.Radius, cell).IsInt() {
			return cell
		}
	}
	// Cells of which both are multiples: s/(k·q) for r/s = p/q.
	q := new(big.Rat).Quo(w.Radius, w.Sensitivity).Denom()
	return new(big.Rat).Quo(w.Sensitivity, new(big.Rat).SetInt(q))
}

// checkShape says what is wrong with a wish for noise of any shape.
func (w *Wish) checkShape(g noise.Grid) error {
	goal := learn.Goal{Problem: w.problem(g), Weights: g.Weights(w.Norm)}
	switch {
	case w.Compositions != 1 || w.Rate.Cmp(one) != 0:
		return errors.New("noise of any shape: want one release, without sampling")
	case w.Method != Auto && w.Method != LP:
		return errors.New("noise of any shape: want the method lp")
	case g.N < 2 || !shapeProgram(goal).Fits():
		return errors.New("noise of any shape: want at least 2 and fewer cells, --cell, or a smaller range: every shift " +
			"counts")
	}
	return nil
}
