// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// Reports is the multiset of the report of one record, which is distributed as P or as Q, and of Others reports ≥ 1
// that are distributed as Other, all independent: see NewReports.
type Reports struct {
	Others int64
	Cells  []Report // no two of them are proportional
}

// A Report is a value that a report may have, with its probabilities: of the record's own under P and under Q, and of
// any other one.
type Report struct{ P, Q, Other *big.Rat }

func (r Report) String() string {
	return r.P.RatString() + ":" + r.Q.RatString() + ":" + r.Other.RatString()
}

// NewReports returns the pair of such reports. P, Q and Other sum to 1 each.
//
// Values whose probabilities are proportional are put together. To tell them apart shows nothing more: given that a
// report has one of them, which one it is does not depend on whose it is.
func NewReports(others int64, values []Report) Reports {
	x := Reports{Others: others}
	index := make(map[string]int)
	for _, v := range values {
		sum := new(big.Rat).Add(new(big.Rat).Add(v.P, v.Q), v.Other)
		if sum.Sign() == 0 {
			continue
		}
		over := func(y *big.Rat) *big.Rat { return new(big.Rat).Quo(y, sum) }
		key := Report{over(v.P), over(v.Q), over(v.Other)}.String()
		i, ok := index[key]
		if !ok {
			index[key] = len(x.Cells)
			x.Cells = append(x.Cells, v)
			continue
		}
		c := x.Cells[i]
		x.Cells[i] = Report{new(big.Rat).Add(c.P, v.P), new(big.Rat).Add(c.Q, v.Q), new(big.Rat).Add(c.Other, v.Other)}
	}
	return x.sorted()
}

// sorted brings the cells into the order of their likelihood ratios, and then of the rest.
func (x Reports) sorted() Reports {
	x.Cells = slices.Clone(x.Cells)
	slices.SortFunc(x.Cells, func(a, b Report) int {
		if c := new(big.Rat).Mul(a.P, b.Q).Cmp(new(big.Rat).Mul(b.P, a.Q)); c != 0 {
			return -c
		}
		if c := a.P.Cmp(b.P); c != 0 {
			return -c
		}
		return -a.Other.Cmp(b.Other)
	})
	return x
}

func (x Reports) String() string {
	parts := make([]string, len(x.Cells))
	for i, c := range x.Cells {
		parts[i] = c.String()
	}
	return fmt.Sprintf("Reports(%d, %s)", x.Others, strings.Join(parts, " "))
}

// Reverse exchanges P and Q.
func (x Reports) Reverse() Pair {
	cells := make([]Report, len(x.Cells))
	for i, c := range x.Cells {
		cells[i] = Report{c.Q, c.P, c.Other}
	}
	return Reports{x.Others, cells}.sorted()
}

// SelfDual: a map of the values of reports exchanges P and Q, and keeps Other.
func (x Reports) SelfDual() bool { return x.String() == x.Reverse().String() }
func (Reports) isReversed() bool { return false }
func (Reports) parts() []Product { return nil }
func (x Reports) Trivial() bool {
	return !slices.ContainsFunc(x.Cells, func(c Report) bool { return c.P.Cmp(c.Q) != 0 })
}
func (x Reports) total() (n int64) { return x.Others + 1 }

// Kind: multisets of few reports are listed.
func (x Reports) Kind() Kind {
	if x.countable(maxOrders) {
		return Discrete
	}
	return Unlisted
}

// countable reports whether there are at most limit multisets.
func (x Reports) countable(limit int) bool {
	return x.total() <= maxOrders && typesWithin(x.total(), len(x.Cells), min(limit, maxOrders))
}

// infMass: Q is 0 of a value that others do not report, or where all reports have values of which it is 0.
func (x Reports) infMass() (*big.Rat, bool) {
	alone, own, others := new(big.Rat), new(big.Rat), new(big.Rat)
	for _, c := range x.Cells {
		switch {
		case c.Q.Sign() != 0:
		case c.Other.Sign() == 0:
			alone.Add(alone, c.P)
		default:
			own.Add(own, c.P)
			others.Add(others, c.Other)
		}
	}
	if own.Sign() == 0 {
		return alone, true
	}
	all, ok := ratPowWithin(others, x.Others)
	if !ok {
		return nil, false
	}
	return alone.Add(alone, all.Mul(all, own)), true
}

// reach: the ratio of the sums of P/Other and of Q/Other is at most the greatest of P/Q, and that if all reports have
// the same value.
func (x Reports) reach() reach {
	most := new(big.Rat)
	for _, c := range x.Cells {
		switch {
		case c.Q.Sign() != 0:
			if r := new(big.Rat).Quo(c.P, c.Q); r.Cmp(most) > 0 {
				most = r
			}
		case c.P.Sign() != 0:
			return unknownReach()
		}
	}
	return upTo(LogLoss(most))
}

// alone is the record's own report.
func (x Reports) alone() Pair {
	p, q := make([]*big.Rat, len(x.Cells)), make([]*big.Rat, len(x.Cells))
	for i, c := range x.Cells {
		p[i], q[i] = c.P, c.Q
	}
	return NewFinite(p, q)
}

// Outcomes: of n reports n_i have the value i. The own one is any of them with the same probability: where others may
// have all of these values,
//
//	P = (n−1)!·Π r_i^(n_i)/n_i!·Σ n_i·p_i/r_i,
//
// with r for Other, and Q likewise. A value that others do not report is the own one.
func (x Reports) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if !x.countable(limit) {
		return notListed()
	}
	w := p + 32
	var out []Outcome
	var cells []Report
	for _, c := range x.Cells {
		if c.Other.Sign() != 0 {
			cells = append(cells, c)
		} else {
			out = append(out, Outcome{P: p.Rat(c.P), Q: p.Rat(c.Q)})
		}
	}
	n := int(x.total())
	powers := make([][]interval.Interval, len(cells)) // r_i^m/m!
	for i, c := range cells {
		r, y := w.Rat(c.Other), interval.Int(1)
		for m := range n + 1 {
			powers[i] = append(powers[i], y)
			y = w.Div(w.Mul(y, r), interval.Int(int64(m+1)))
		}
	}
	factorial := interval.Int(1)
	for m := 2; m < n; m++ {
		factorial = w.Mul(factorial, interval.Int(int64(m)))
	}
	ratio := func(a, b *big.Rat, m int) *big.Rat {
		r := new(big.Rat).Quo(a, b)
		return r.Mul(r, big.NewRat(int64(m), 1))
	}
	var walk func(i, left int, mass interval.Interval, up, down *big.Rat)
	walk = func(i, left int, mass interval.Interval, up, down *big.Rat) {
		if i == len(cells) {
			if o := (Outcome{P: p.Mul(mass, w.Rat(up)), Q: p.Mul(mass, w.Rat(down))}); left == 0 &&
				(!o.P.IsZero() || !o.Q.IsZero()) {
				out = append(out, o)
			}
			return
		}
		from := 0
		if i == len(cells)-1 {
			from = left
		}
		for m := from; m <= left; m++ {
			c := cells[i]
			walk(i+1, left-m, w.Mul(mass, powers[i][m]), new(big.Rat).Add(up, ratio(c.P, c.Other, m)),
				new(big.Rat).Add(down, ratio(c.Q, c.Other, m)))
		}
	}
	walk(0, n, factorial, new(big.Rat), new(big.Rat))
	return out, interval.Int(0), true
}
