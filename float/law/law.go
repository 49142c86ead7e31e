// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package law computes with privacy-loss laws of finitely many atoms: products of
// discrete pairs, in float64 with a bound of the error.
//
// All masses are positive and only added and multiplied, so they keep their relative
// accuracy however small they are; losses are kept to an absolute accuracy, which
// enters δ continuously.
package law

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpverify/float/pair"
	"dpverify/float/value"
)

// One returns the law of one pair; false if it has too many atoms.
func One(d pair.Discrete) (Law, bool) {
	l := single(d)
	return l, len(l.Loss) <= maxAtoms
}

// Of returns the law of a product of discrete pairs; false if a factor is not discrete,
// the product has too many atoms, or ctx ends.
func Of(ctx context.Context, p pair.Product) (Law, bool) {
	out := Law{Loss: []float64{0}, P: []float64{1}}
	for _, t := range p {
		d, ok := t.Pair.(pair.Discrete)
		if !ok {
			return Law{}, false
		}
		l, ok := single(d).power(ctx, t.Count)
		if !ok {
			return Law{}, false
		}
		if out, ok = out.times(ctx, l); !ok {
			return Law{}, false
		}
	}
	return out, true
}

// single returns the law of one pair.
func single(d pair.Discrete) Law {
	l := Law{Rest: d.Rest}
	var as []atom
	for _, o := range d.Outcomes {
		switch {
		case o.P.V == 0 && o.P.Err == 0:
		case o.Q.V == 0 && o.Q.Err == 0:
			l.Inf = l.Inf.Add(o.P)
		case o.P.V < 0x1p-1000 && !(o.P.Err < 0x1p-40*o.P.V): // next to underflow
			l.Rest += o.P.Mag()
		default:
			as = append(as, atom{o.Loss.V, o.P.V})
			l.Rel = max(l.Rel, o.P.Err/(o.P.V-o.P.Err))
			l.LossErr = max(l.LossErr, o.Loss.Err)
		}
	}
	l.Rel *= 1 + 8*value.U
	l.Rest *= 1 + 1e-9
	l.take(as)
	return l
}

type atom struct{ loss, p float64 }

// take sets the atoms, in the order of their losses.
func (l *Law) take(as []atom) {
	slices.SortFunc(as, func(a, b atom) int { return cmp.Compare(a.loss, b.loss) })
	l.Loss, l.P = make([]float64, len(as)), make([]float64, len(as))
	for i, a := range as {
		l.Loss[i], l.P[i] = a.loss, a.p
	}
	l.merge()
}

// merge joins neighbouring atoms whose losses differ by less than what they are known
// to, or by 4u of the largest: those that would be equal but for rounding.
func (l *Law) merge() {
	if len(l.Loss) == 0 {
		return
	}
	within := l.LossErr + 4*value.U*l.span()
	n, run := 0, 1
	longest := 1
	start := l.Loss[0]
	for i := 1; i < len(l.Loss); i++ {
		if l.Loss[i]-start <= within {
			l.P[n] += l.P[i]
			run++
			longest = max(longest, run)
			continue
		}
		n++
		start, run = l.Loss[i], 1
		l.Loss[n], l.P[n] = l.Loss[i], l.P[i]
	}
	if longest > 1 {
		l.LossErr += within * (1 + 4*value.U)
		l.Rel += float64(longest) * value.U * (1 + l.Rel)
	}
	l.Loss, l.P = l.Loss[:n+1], l.P[:n+1]
}

// times returns the law of the sum of two independent losses. One such step takes less than
// a second; ctx is looked at before it.
func (l Law) times(ctx context.Context, m Law) (Law, bool) {
	if ctx.Err() != nil {
		return Law{}, false
	}
	one := value.Exact(1)
	out := Law{Inf: l.Inf.Add(m.Inf.Mul(one.Sub(l.Inf))), Rest: (l.Rest + m.Rest) * (1 + 4*value.U)}
	if len(l.Loss) == 0 || len(m.Loss) == 0 {
		return out, true
	}
	out.Rel = (l.Rel + m.Rel + l.Rel*m.Rel + 2*value.U) * (1 + 8*value.U)
	out.LossErr = (l.LossErr + m.LossErr + value.U*(l.span()+m.span())) * (1 + 8*value.U)
	n := len(l.Loss) * len(m.Loss)
	if n > 1<<21 {
		return Law{}, false
	}
	as := make([]atom, 0, n)
	for i, x := range l.Loss {
		for j, y := range m.Loss {
			// A mass that underflows is left out.
			if p := l.P[i] * m.P[j]; p >= 0x1p-1000 {
				as = append(as, atom{x + y, p})
			} else {
				out.Rest += 0x1p-999
			}
		}
	}
	out.take(as)
	return out, len(out.Loss) <= maxAtoms
}

// power returns the law of the sum of k independent copies: on a lattice if the losses
// lie on one, else by repeated squaring.
func (l Law) power(ctx context.Context, k int64) (Law, bool) {
	if k == 1 || len(l.Loss) == 0 {
		out := l
		out.Inf = union(l.Inf, k)
		return out, true
	}
	inf := union(l.Inf, k)
	if out, ok := l.latticePower(k); ok {
		out.Inf = inf
		return out, true
	}
	out := Law{Loss: []float64{0}, P: []float64{1}}
	base := l
	base.Inf = value.Value{}
	for n := k; ; {
		var ok bool
		if n&1 == 1 {
			if out, ok = out.times(ctx, base); !ok {
				return Law{}, false
			}
		}
		if n >>= 1; n == 0 {
			break
		}
		if base, ok = base.times(ctx, base); !ok {
			return Law{}, false
		}
	}
	out.Inf = inf
	return out, true
}

// union returns 1 − (1 − m)^k.
func union(m value.Value, k int64) value.Value {
	if m == (value.Value{}) || k == 1 {
		return m
	}
	if m.Hi() >= 1 {
		return value.Exact(1)
	}
	return m.Neg().Log1p().Scale(float64(k)).Expm1().Neg()
}

// Delta returns δ(ε) = Inf + Σ p·(1 − e^(ε−l))₊.
//
// (1 − e^(ε−l))₊ is continuous in l and ε, with slope at most 1: moving a loss by e
// changes a term by at most p·(1 − e^−e)·min(1, e^(ε−l+e)) ≤ p·e, and by nothing where
// l < ε − e. The sum of n positive terms is off by at most n·u of itself.
func (l Law) Delta(eps value.Value) value.Value {
	e := l.LossErr + eps.Err
	sum, slack := 0.0, 0.0
	first, _ := slices.BinarySearch(l.Loss, eps.V-2*e-4*value.U*math.Abs(eps.V))
	for i := len(l.Loss) - 1; i >= first; i-- {
		d := eps.V - l.Loss[i] // off by u·|d|, which the 4u below contain
		p := l.P[i]
		if d < 0 {
			sum -= p * math.Expm1(d)
		}
		slack += p * math.Min(1, math.Exp(d))
	}
	rel := l.Rel + (float64(len(l.Loss)-first)+16)*value.U
	err := sum*rel + slack*(1+rel)*(e*(1+2*e)) + slack*8*value.U*math.Abs(eps.V) + l.Rest
	return value.Within(sum, err*(1+1e-12)).Add(l.Inf).Clamp(0, 1)
}
