// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// A Loss is an exact privacy loss: a rational number plus integer multiples of
// logarithms of rationals. Such numbers can be compared with rationals exactly,
// which decides whether an outcome lies on or above a claimed ε.
type Loss struct {
	rat  *big.Rat // nil means 0
	logs []logTerm
}

// A logTerm is n·log(base), base > 1, n ≠ 0. The terms of a Loss have distinct
// bases in rising order.
type logTerm struct {
	n    *big.Int
	base *big.Rat
}

// RatLoss returns the loss r.
func RatLoss(r *big.Rat) Loss { return Loss{rat: r} }

// LogLoss returns the loss log(r), r > 0.
func LogLoss(r *big.Rat) Loss {
	switch r.Cmp(ratOne) {
	case 0:
		return Loss{}
	case -1:
		return Loss{logs: []logTerm{{big.NewInt(-1), new(big.Rat).Inv(r)}}}
	}
	return Loss{logs: []logTerm{{big.NewInt(1), r}}}
}

var ratOne = big.NewRat(1, 1)

func (l Loss) rational() *big.Rat {
	if l.rat == nil {
		return new(big.Rat)
	}
	return l.rat
}

// Add returns l + m.
func (l Loss) Add(m Loss) Loss {
	out := Loss{rat: new(big.Rat).Add(l.rational(), m.rational())}
	a, b := l.logs, m.logs
	for len(a) > 0 || len(b) > 0 {
		c := 0
		switch {
		case len(a) == 0:
			c = 1
		case len(b) == 0:
			c = -1
		default:
			c = a[0].base.Cmp(b[0].base)
		}
		switch {
		case c < 0:
			out.logs = append(out.logs, a[0])
			a = a[1:]
		case c > 0:
			out.logs = append(out.logs, b[0])
			b = b[1:]
		default:
			if n := new(big.Int).Add(a[0].n, b[0].n); n.Sign() != 0 {
				out.logs = append(out.logs, logTerm{n, a[0].base})
			}
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// Times returns k·l.
func (l Loss) Times(k int64) Loss {
	if k == 0 {
		return Loss{}
	}
	f := big.NewInt(k)
	out := Loss{rat: new(big.Rat).Mul(l.rational(), new(big.Rat).SetInt(f))}
	for _, t := range l.logs {
		out.logs = append(out.logs, logTerm{new(big.Int).Mul(t.n, f), t.base})
	}
	return out
}

// Neg returns −l.
func (l Loss) Neg() Loss { return l.Times(-1) }

// Enclose returns an enclosure of l.
func (l Loss) Enclose(p interval.Prec) interval.Interval {
	q := p + 8
	x := q.Rat(l.rational())
	for _, t := range l.logs {
		w := q + interval.Prec(t.n.BitLen())
		x = q.Add(x, q.Mul(q.BigInt(t.n), w.Log(w.Rat(t.base))))
	}
	return p.Round(x)
}

// Rat returns l as a rational if it has no logarithms.
func (l Loss) Rat() (*big.Rat, bool) { return l.rational(), len(l.logs) == 0 }

// Cmp compares l with the rational r, exactly.
//
// If l − r were 0 with l.rat ≠ r, then e^(r − l.rat), a transcendental number by
// Lindemann's theorem, would be the rational Π base^n. So the difference is 0
// only if l.rat = r and Π base^n = 1, which is decided first; a nonzero
// difference is separated from 0 by enough precision.
func (l Loss) Cmp(r *big.Rat) int {
	d := new(big.Rat).Sub(l.rational(), r)
	if len(l.logs) == 0 {
		return d.Sign()
	}
	if d.Sign() == 0 && productIsOne(l.logs) {
		return 0
	}
	m := Loss{rat: d, logs: l.logs}
	for p := interval.Prec(64); ; p *= 2 {
		x := m.Enclose(p)
		if x.Positive() == interval.True {
			return 1
		}
		if x.Negative() == interval.True {
			return -1
		}
	}
}

func (l Loss) String() string {
	var parts []string
	if r := l.rational(); r.Sign() != 0 || len(l.logs) == 0 {
		parts = append(parts, r.RatString())
	}
	for _, t := range l.logs {
		parts = append(parts, fmt.Sprintf("%s·log(%s)", t.n, t.base.RatString()))
	}
	return strings.Join(parts, " + ")
}

// productIsOne decides Π base^n = 1 exactly and without computing the powers. It
// writes all numerators and denominators over pairwise coprime integers > 1;
// these are multiplicatively independent, so the product is 1 if and only if
// every one of them has total exponent 0.
func productIsOne(terms []logTerm) bool {
	var numbers []*big.Int
	for _, t := range terms {
		numbers = append(numbers, t.base.Num(), t.base.Denom())
	}
	for _, b := range coprimeBase(numbers) {
		total := new(big.Int)
		for _, t := range terms {
			e := big.NewInt(int64(valuation(t.base.Num(), b) - valuation(t.base.Denom(), b)))
			total.Add(total, e.Mul(e, t.n))
		}
		if total.Sign() != 0 {
			return false
		}
	}
	return true
}

// coprimeBase returns pairwise coprime integers > 1 such that every given
// positive integer is a product of their powers.
func coprimeBase(numbers []*big.Int) []*big.Int {
	var base []*big.Int
	one := big.NewInt(1)
	todo := slices.Clone(numbers)
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x.Cmp(one) == 0 {
			continue
		}
		clash := -1
		g := new(big.Int)
		for i, b := range base {
			if g.GCD(nil, nil, x, b); g.Cmp(one) != 0 {
				clash = i
				break
			}
		}
		if clash < 0 {
			base = append(base, x)
			continue
		}
		b := base[clash]
		if b.Cmp(x) == 0 {
			continue
		}
		// x and b share g > 1: replace them by g, x/g and b/g. The product of all
		// numbers kept or to do falls by a factor g, so this ends.
		base = slices.Delete(base, clash, clash+1)
		todo = append(todo, g, new(big.Int).Quo(x, g), new(big.Int).Quo(b, g))
	}
	return base
}

// valuation returns the largest e with b^e | x, x > 0, b > 1.
func valuation(x, b *big.Int) int {
	e := 0
	q, r := new(big.Int).Set(x), new(big.Int)
	for {
		t := new(big.Int)
		if t.QuoRem(q, b, r); r.Sign() != 0 {
			return e
		}
		q = t
		e++
	}
}

// Log returns r with l = log(r), if l is the logarithm of a rational that is
// short enough to write down.
func (l Loss) Log() (*big.Rat, bool) {
	if l.rational().Sign() != 0 {
		return nil, false
	}
	r := big.NewRat(1, 1)
	for _, t := range l.logs {
		const maxBits = 1 << 16
		size := t.base.Num().BitLen() + t.base.Denom().BitLen()
		if !t.n.IsInt64() || t.n.BitLen() > 32 || int64(size)*max(t.n.Int64(), -t.n.Int64()) > maxBits {
			return nil, false
		}
		if n := t.n.Int64(); n >= 0 {
			r.Mul(r, ratPow(t.base, n))
		} else {
			r.Quo(r, ratPow(t.base, -n))
		}
	}
	return r, true
}

func ratPow(r *big.Rat, n int64) *big.Rat {
	e := big.NewInt(n)
	return new(big.Rat).SetFrac(new(big.Int).Exp(r.Num(), e, nil), new(big.Int).Exp(r.Denom(), e, nil))
}
