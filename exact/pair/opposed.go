// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"sync"

	"dpverify/exact/binomial"
	"dpverify/exact/fixed"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// maxOpposed bounds the batch of an Opposed.
const maxOpposed = 32

// opposedAt lists how far the other records go against the record, in units of its norm. Records at right angles to
// it tell how many are in the batch. Records opposite to it are farther from it. The worst choice depends on ε.
var opposedAt = []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 5)}

// Opposed is a truncated Poisson sample with Gaussian noise, where all other records have the value a = (−Along,
// Across) and the record is x = (1, 0), in units of its norm. It bounds from below. Let K others be sampled:
//
//   - without the record the output is N(min(K, B)·μa, I);
//   - with the record sampled and K < B it is N((Ka + x)μ, I);
//   - with the record sampled, K ≥ B, and the record kept, it is N(((B − 1)a + x)μ, I).
type Opposed struct {
	unlisted
	Records       int64
	Rate          *big.Rat
	Batch         int64
	Mu            *big.Rat
	Along, Across *big.Rat // of norm 1 at most
	Reversed      bool

	plane func() []Outcome // onPlane, once
}

// Opposites returns pairs that a truncated sample attains, by the places of all other records; none for a batch that is
// too large.
func Opposites(e mechanism.TruncatedSubsampledGaussian) (out []Product) {
	if e.TruncatedBatchSize > maxOpposed {
		return nil
	}
	for _, along := range opposedAt {
		out = append(out, Product{{newOpposed(e, along), 1}})
	}
	return out
}

// newOpposed has others of norm 1, or just less.
func newOpposed(e mechanism.TruncatedSubsampledGaussian, along *big.Rat) Opposed {
	rest := new(big.Rat).Sub(ratOne, new(big.Rat).Mul(along, along))
	o := Opposed{Records: e.DatasetSize, Rate: e.SamplingProbability, Batch: e.TruncatedBatchSize,
		Mu: new(big.Rat).Inv(e.NoiseMultiplier), Along: along, Across: SqrtBelow(rest)}
	o.plane = sync.OnceValue(o.onPlane)
	return o
}

func (o Opposed) String() string {
	return fmt.Sprintf("Opposed(%d, %s, %d, μ=%s, %s)%s", o.Records, o.Rate.RatString(), o.Batch, o.Mu.RatString(),
		o.Along.RatString(), reversedMark(o.Reversed))
}

// Reverse exchanges P and Q.
func (o Opposed) Reverse() Pair {
	o.Reversed = !o.Reversed
	return o
}
func (Opposed) SelfDual() bool            { return false }
func (o Opposed) isReversed() bool        { return o.Reversed }
func (Opposed) infMass() (*big.Rat, bool) { return new(big.Rat), true }
func (Opposed) reach() reach              { return unknownReach() }

// An opposedTerm is a Gaussian of an Opposed, at Along·mean + shift along the record and Across·mean across it, with
// its weights under P and Q.
type opposedTerm struct {
	mean, shift int64
	p, q        interval.Interval
}

// terms returns the Gaussians of P and Q.
func (o Opposed) terms(w interval.Prec) []opposedTerm {
	zero := interval.Int(0)
	q, rest := w.Rat(o.Rate), w.Rat(new(big.Rat).Sub(ratOne, o.Rate))
	var out []opposedTerm
	for k := range min(o.Batch, o.Records) {
		m := zero
		switch {
		case o.Rate.Cmp(ratOne) != 0:
			m = binomial.Mass(w, o.Records-1, k, o.Rate)
		case k == o.Records-1:
			m = interval.Int(1)
		}
		out = append(out, opposedTerm{k, 0, w.Mul(rest, m), m}, opposedTerm{k, 1, w.Mul(q, m), zero})
	}
	full := binomial.AtLeast(w, o.Records-1, o.Batch, o.Rate)
	in := w.Mul(w.Rat(big.NewRat(o.Batch, o.Records)), binomial.AtLeast(w, o.Records, o.Batch+1, o.Rate))
	return append(out, opposedTerm{o.Batch, 0, interval.Max(zero, w.Sub(full, in)), full},
		opposedTerm{o.Batch - 1, 1, in, zero})
}

// Cells of an Opposed, to a unit of the noise: of a line, and of a plane, along the record and across it.
const (
	lineCells, alongCells, acrossCells = 8, 10, 2
	opposedReach                       = 12      // of the cells beyond all means
	maxOpposedCells                    = 1 << 19 // in a plane, times the Gaussians
)

// Dominated returns the outcomes of a post-processing: the line or the plane is cut into cells, and its ends.
func (o Opposed) Dominated(p interval.Prec) []Outcome {
	switch {
	case o.Across.Sign() == 0:
		return o.oriented(o.onLine(p + 16))
	case o.plane != nil:
		return o.oriented(o.plane())
	}
	return o.oriented(o.onPlane())
}

// borders returns the borders of cells that reach beyond the least and the greatest mean; nil if they are too far
// apart.
func borders(least, greatest interval.Interval, perUnit int64) []*big.Rat {
	lo, _ := least.Lo().Int64()
	hi, _ := greatest.Hi().Int64()
	if lo < -1<<8 || hi > 1<<8 {
		return nil
	}
	var out []*big.Rat
	for i := (lo - 1 - opposedReach) * perUnit; i <= (hi+1+opposedReach)*perUnit; i++ {
		out = append(out, big.NewRat(i, perUnit))
	}
	return out
}

// cellsOf returns the masses of N(mean, 1) between borders, and beyond them. Each is a difference of tails on the
// side of the mean where it does not cancel. A tail of the other side is 1 less that tail. It counts only next to the
// mean, and there it is about 1/2.
func cellsOf(w interval.Prec, borders []*big.Rat, mean interval.Interval) []interval.Interval {
	out := make([]interval.Interval, 0, len(borders)+1)
	zero, one := interval.Int(0), interval.Int(1)
	below, above := zero, one
	for _, b := range borders {
		x := w.Sub(w.Rat(b), mean)
		var m interval.Interval
		if x.Negative() == interval.True {
			l := fixed.NormalCDF(w, x)
			m, below, above = w.Sub(l, below), l, w.Sub(one, l)
		} else {
			u := fixed.NormalSF(w, x)
			m, below, above = w.Sub(above, u), w.Sub(one, u), u
		}
		out = append(out, interval.Max(zero, m))
	}
	return append(out, above)
}

// along returns the place of a term along the record.
func (o Opposed) along(w interval.Prec, t opposedTerm) interval.Interval {
	x := new(big.Rat).Mul(o.Along, big.NewRat(-t.mean, 1))
	x.Add(x, big.NewRat(t.shift, 1))
	return w.Rat(x.Mul(x, o.Mu))
}

func (o Opposed) onLine(w interval.Prec) []Outcome {
	mu := w.Rat(o.Mu)
	bs := borders(w.Mul(mu, interval.Int(-o.Batch)), mu, lineCells)
	if bs == nil {
		return nil
	}
	zero := interval.Int(0)
	out := make([]Outcome, len(bs)+1)
	for i := range out {
		out[i] = Outcome{P: zero, Q: zero}
	}
	for _, t := range o.terms(w) {
		for i, m := range cellsOf(w, bs, o.along(w, t)) {
			out[i].P, out[i].Q = w.Add(out[i].P, w.Mul(t.p, m)), w.Add(out[i].Q, w.Mul(t.q, m))
		}
	}
	return out
}

// oriented drops outcomes that certainly have no mass under one of the two. The others bound from below.
func (o Opposed) oriented(out []Outcome) []Outcome {
	var kept []Outcome
	for _, x := range out {
		if x.P.Positive() != interval.True || x.Q.Positive() != interval.True {
			continue
		}
		if o.Reversed {
			x.P, x.Q = x.Q, x.P
		}
		kept = append(kept, x)
	}
	return kept
}

// onPlane cuts the plane into rectangles, whose masses are products, and puts rectangles of about the same loss
// together. This is a post-processing, as each goes to one outcome. A bound from below needs little precision:
// machine words suffice.
func (o Opposed) onPlane() []Outcome {
	const w, rough = interval.Prec(112), interval.Prec(53)
	const perLoss = 6 // in powers of 2
	terms := o.terms(w)
	mu, height := w.Rat(o.Mu), w.Rat(new(big.Rat).Mul(o.Across, o.Mu))
	last := interval.Int(o.Batch)
	xs := borders(w.Mul(w.Mul(mu, w.Rat(o.Along)), last).Neg(), mu, alongCells)
	ys := borders(interval.Int(0), w.Mul(height, last), acrossCells)
	if xs == nil || ys == nil || len(xs)*len(ys)*len(terms) > maxOpposedCells {
		return nil
	}
	cells := make([]Outcome, (len(xs)+1)*(len(ys)+1))
	for i := range cells {
		cells[i] = Outcome{P: interval.Int(0), Q: interval.Int(0)}
	}
	for _, t := range terms {
		along := cellsOf(w, xs, o.along(w, t))
		across := cellsOf(w, ys, w.Mul(height, interval.Int(t.mean)))
		for i, m := range along {
			along[i] = rough.Round(m)
		}
		for i, m := range across {
			mp, mq := rough.Mul(m, t.p), rough.Mul(m, t.q)
			for j, n := range along {
				c := &cells[i*len(along)+j]
				c.P = rough.Add(c.P, rough.Mul(n, mp))
				if !mq.IsZero() {
					c.Q = rough.Add(c.Q, rough.Mul(n, mq))
				}
			}
		}
	}
	bins := make(map[int64]Outcome)
	for _, c := range cells {
		loss := rough.Scale(rough.Log(rough.Div(c.P, c.Q)), perLoss)
		if !loss.IsFinite() {
			continue // too rare
		}
		k, _ := loss.Lo().Int64()
		if b, ok := bins[k]; ok {
			c.P, c.Q = rough.Add(b.P, c.P), rough.Add(b.Q, c.Q)
		}
		bins[k] = c
	}
	var out []Outcome
	for _, k := range slices.Sorted(maps.Keys(bins)) {
		out = append(out, bins[k])
	}
	return out
}
