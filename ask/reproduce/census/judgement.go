// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package census

import (
	"bytes"
	"context"
	"encoding/csv"
	"math/big"
	"strconv"

	"dpverify/exact/interval"
	"dpverify/internal/number"
)

// Agreements are the numbers of right digits that are told apart. −1 stands for a number that is off by more than
// itself.
var Agreements = []int{-1, 0, 1, 2, 4, 8, 12, 16, 20, 25, 30}

// agreement is the greatest of Agreements that a point has, and reports false where that is not known.
func agreement(p Point) (digits int, known bool) {
	for i := len(Agreements) - 1; i > 0; i-- {
		switch p.Agrees(Agreements[i]) {
		case interval.True:
			return Agreements[i], true
		case interval.Unknown:
			return 0, false
		}
	}
	return -1, true
}

// A Judgement is what all points come to.
type Judgement struct {
	Points   []Point
	Digits   []int             // of each point, one of Agreements; −2 if not known
	Count    map[int]int64     // of points, by digits
	Greatest interval.Interval // the excess that is greatest
	Least    interval.Interval // the ratio that is least
	Negative int64             // second terms below 0
	Second   *big.Rat          // the least of them
	Betas    int64             // type II errors below 0

	LeastBeta interval.Interval // what the type II error is that is printed as the least one

	// Of the middles of trade-off curves:
	Over, Under  interval.Interval // the greatest and the least excess
	Above, Below int64             // how many are above and below the truth, by more than 1e-9 of it
}

// Judge judges everything that is printed.
func Judge(ctx context.Context) (*Judgement, error) {
	j := &Judgement{
		Count: make(map[int]int64), Greatest: interval.NegInf(), Least: interval.PosInf(), Second: new(big.Rat),
	}
	for p, err := range All(ctx) {
		if err != nil {
			return nil, err
		}
		digits, known := agreement(p)
		if !known {
			digits = -2
		}
		j.Points, j.Digits = append(j.Points, p), append(j.Digits, digits)
		j.Count[digits]++
		j.Greatest, j.Least = interval.Max(j.Greatest, p.Excess()), interval.Min(j.Least, p.Ratio())
		if p.Second.Sign() < 0 {
			j.Negative++
			if p.Second.Cmp(j.Second) < 0 {
				j.Second = p.Second
			}
		}
	}
	for _, b := range Published().Betas {
		j.Betas += b.Negative
	}
	worst := Published().Least()
	least, err := worst.TypeII(ctx, Published().Betas[worst].Alpha)
	if err != nil {
		return nil, err
	}
	j.LeastBeta = least
	middles, err := Middles(ctx)
	j.Over, j.Under = interval.NegInf(), interval.PosInf()
	slack := number.PowerOfTen(-9)
	for _, m := range middles {
		e := m.Excess()
		if j.Over, j.Under = interval.Max(j.Over, e), interval.Min(j.Under, e); e.LessEqRat(slack) == interval.False {
			j.Above++
		} else if e.Neg().LessEqRat(slack) == interval.False {
			j.Below++
		}
	}
	return j, err
}

// Table lists all points.
func (j *Judgement) Table() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write([]string{
		"from", "to", "row", "epsilon", "delta_lo", "delta_hi", "printed", "printed_over_delta", "digits",
		"negative_second_term",
	})
	for i, p := range j.Points {
		lo, hi := p.Truth.Decimal(31)
		_, ratio := p.Ratio().Decimal(6)
		digits, second := strconv.Itoa(j.Digits[i]), ""
		if j.Digits[i] < 0 {
			digits = "none"
		}
		if p.Second.Sign() < 0 {
			second = number.Format(p.Second)
		}
		from, to, eps := strconv.Itoa(p.From), strconv.Itoa(p.To), number.Format(p.Epsilon)
		w.Write([]string{from, to, p.Name, eps, lo, hi, p.Printed, ratio, digits, second})
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
