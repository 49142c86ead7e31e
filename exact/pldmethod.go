package exact

import (
	"context"

	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
)

// pldMethod: any product of pairs with a closed form of their loss, or finitely many
// outcomes, on a grid of losses.
type pldMethod struct{}

func (pldMethod) Name() string { return "pld" }

// gridSize returns the number of points and the fraction bits of masses at an
// effort. Errors fall with the square of the spacing, so points come first; bits
// follow for the sake of small δ.
func gridSize(e Effort) (points int, prec uint) {
	points = 1 << (10 + e)
	switch {
	case e <= 2:
		return points, 61
	case e <= 5:
		return points, 125
	case e <= 6:
		return points, 253
	}
	return points, 509
}

func (pldMethod) Plan(_ *Solver, prod pair.Product, e Effort) *Plan {
	if len(prod) == 1 && prod[0].Count == 1 || !pld.Gridded(prod) {
		return nil
	}
	n, prec := gridSize(e)
	return &Plan{Cost: 0.3 + float64(n)*100e-6, TwoSided: true, Prepare: func(ctx context.Context) (profile.Func, error) {
		g, ok, err := pld.NewGrid(ctx, prod, n, prec, 64*n, nil)
		if !ok {
			return nil, err
		}
		return g.Delta, nil
	}}
}
