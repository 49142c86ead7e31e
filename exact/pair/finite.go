// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
)

// A Mass is the probability of one outcome under P and under Q.
type Mass struct{ P, Q *big.Rat }

// Finite is a pair on finitely many outcomes, one for each likelihood ratio, in
// falling order of P/Q (first the outcome with Q = 0, if any). Outcomes of equal
// ratio may be merged because the profile Σ(p − αq)₊ depends on their sums only.
type Finite struct {
	Masses []Mass
	key    string
}

// NewFinite returns the pair with the given probabilities, each of which must
// be non-negative and sum to 1.
func NewFinite(p, q []*big.Rat) Finite {
	if len(p) != len(q) {
		panic("pair: internal error: NewFinite with lists of different lengths")
	}
	ms := make([]Mass, len(p))
	for i := range p {
		ms[i] = Mass{p[i], q[i]}
	}
	return FiniteOf(ms)
}

// An outcomeRatio is P/Q of a mass as num/den, not in lowest terms; den = 0 for Q = 0.
type outcomeRatio struct {
	Mass
	num, den *big.Int
}

func ratioOf(m Mass) outcomeRatio {
	if m.P.Denom().Cmp(m.Q.Denom()) == 0 {
		return outcomeRatio{m, m.P.Num(), m.Q.Num()}
	}
	return outcomeRatio{m, new(big.Int).Mul(m.P.Num(), m.Q.Denom()), new(big.Int).Mul(m.Q.Num(), m.P.Denom())}
}

// compare orders by falling ratio. The products need no greatest common divisor.
func (a outcomeRatio) compare(b outcomeRatio) int {
	return new(big.Int).Mul(b.num, a.den).Cmp(new(big.Int).Mul(a.num, b.den))
}

func FiniteOf(ms []Mass) Finite {
	rs := make([]outcomeRatio, 0, len(ms))
	for _, m := range ms {
		if m.P.Sign() > 0 || m.Q.Sign() > 0 {
			rs = append(rs, ratioOf(m))
		}
	}
	slices.SortFunc(rs, outcomeRatio.compare)
	out := make([]Mass, 0, len(rs))
	for i := 0; i < len(rs); {
		j := i + 1
		m := rs[i].Mass
		for ; j < len(rs) && rs[i].compare(rs[j]) == 0; j++ {
			m = Mass{new(big.Rat).Add(m.P, rs[j].P), new(big.Rat).Add(m.Q, rs[j].Q)}
		}
		out = append(out, m)
		i = j
	}
	return Finite{out, finiteKey(out)}
}

// finiteKey spells short pairs out and identifies long ones by a digest.
func finiteKey(ms []Mass) string {
	var b strings.Builder
	for i, m := range ms {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(m.P.RatString() + ":" + m.Q.RatString())
	}
	if b.Len() > 400 {
		return fmt.Sprintf("Finite(%d outcomes, sha256 %x)", len(ms), sha256.Sum256([]byte(b.String())))
	}
	return "Finite(" + b.String() + ")"
}

func (f Finite) String() string { return f.key }

// Reverse returns (Q, P): the same outcomes in the opposite order.
func (f Finite) Reverse() Pair {
	ms := make([]Mass, len(f.Masses))
	for i, m := range f.Masses {
		ms[len(ms)-1-i] = Mass{m.Q, m.P}
	}
	return Finite{ms, finiteKey(ms)}
}

// SelfDual reports whether the pair equals its reverse.
func (f Finite) SelfDual() bool {
	n := len(f.Masses)
	for i, m := range f.Masses {
		r := f.Masses[n-1-i]
		if m.P.Cmp(r.Q) != 0 || m.Q.Cmp(r.P) != 0 {
			return false
		}
	}
	return true
}

func (Finite) isReversed() bool            { return false }
func (Finite) Kind() Kind                  { return Discrete }
func (Finite) parts() []Product            { return nil }
func (f Finite) infMass() (*big.Rat, bool) { return f.Inf(), true }
func (f Finite) reach() reach {
	for _, m := range f.Masses {
		if m.Q.Sign() > 0 && m.P.Sign() > 0 {
			return upTo(LogLoss(new(big.Rat).Quo(m.P, m.Q)))
		}
	}
	return unknownReach() // disjoint supports
}

// Outcomes: as in [Pair].
func (f Finite) Outcomes(p interval.Prec, limit int) ([]Outcome, interval.Interval, bool) {
	if len(f.Masses) > limit {
		return notListed()
	}
	return f.outcomes(p), interval.Interval{}, true
}

func (f Finite) outcomes(p interval.Prec) []Outcome {
	out := make([]Outcome, len(f.Masses))
	for i, m := range f.Masses {
		out[i] = Outcome{P: p.Rat(m.P), Q: p.Rat(m.Q)}
		if m.P.Sign() > 0 && m.Q.Sign() > 0 {
			out[i].Loss = LogLoss(new(big.Rat).Quo(m.P, m.Q))
			out[i].Exact = true
		}
	}
	return out
}

// Inf returns P(Q = 0), the mass of infinite privacy loss.
func (f Finite) Inf() *big.Rat {
	if len(f.Masses) > 0 && f.Masses[0].Q.Sign() == 0 {
		return f.Masses[0].P
	}
	return new(big.Rat)
}

// Delta returns H_α(P‖Q) = Σ(p − αq)₊ for a rational α ≥ 0, exactly.
func (f Finite) Delta(alpha *big.Rat) *big.Rat {
	d, t := new(big.Rat), new(big.Rat)
	for _, m := range f.Masses {
		t.Sub(m.P, t.Mul(alpha, m.Q))
		if t.Sign() <= 0 {
			break // and all later ratios are smaller
		}
		d.Add(d, t)
	}
	return d
}

// deltas returns H_α(P‖Q) for a list of increasing α: the masses with P/Q > α are a longer
// part of the list the smaller α is.
func (f Finite) deltas(alphas []*big.Rat) []*big.Rat {
	out := make([]*big.Rat, len(alphas))
	p, q, next := new(big.Rat), new(big.Rat), 0
	for i := len(alphas) - 1; i >= 0; i-- {
		for ; next < len(f.Masses); next++ {
			m := f.Masses[next]
			if t := new(big.Rat).Mul(alphas[i], m.Q); m.P.Cmp(t) <= 0 {
				break
			}
			p.Add(p, m.P)
			q.Add(q, m.Q)
		}
		out[i] = new(big.Rat).Sub(p, new(big.Rat).Mul(alphas[i], q))
	}
	return out
}

// Sample returns ((1−γ)Q + γP, Q), outcome by outcome.
func (f Finite) Sample(rate *big.Rat) Finite {
	rest := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	ms := make([]Mass, len(f.Masses))
	for i, m := range f.Masses {
		p := new(big.Rat).Mul(rest, m.Q)
		ms[i] = Mass{p.Add(p, new(big.Rat).Mul(rate, m.P)), m.Q}
	}
	return FiniteOf(ms)
}

// Symmetrise returns the self-dual pair with the profile
// max(H_α(P‖Q), H_α(Q‖P)): the least pair that dominates both orientations.
func (f Finite) Symmetrise() Finite {
	if f.SelfDual() {
		return f
	}
	return f.Max(f.Reverse().(Finite))
}

// Max returns the pair with the greater of two profiles at each α.
//
// The maximum of two convex profiles is convex, 1 at α = 0 and at least (1 − α)₊,
// so it is the profile of a pair [Zhu, Dong & Wang 2022, Proposition 8]. Both
// are linear between consecutive ratios of either pair, so the maximum is linear
// between these and the at most one crossing in each gap.
func (f Finite) Max(g Finite) Finite {
	alphas := []*big.Rat{new(big.Rat)}
	for _, h := range []Finite{f, g} {
		for _, m := range h.Masses {
			if m.Q.Sign() > 0 && m.P.Sign() > 0 {
				alphas = append(alphas, new(big.Rat).Quo(m.P, m.Q))
			}
		}
	}
	slices.SortFunc(alphas, (*big.Rat).Cmp)
	alphas = slices.CompactFunc(alphas, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	us, vs := f.deltas(alphas), g.deltas(alphas)
	var points []point
	for i, a := range alphas {
		u, v := us[i], vs[i]
		if i > 0 {
			// A sign change of u − v strictly inside the gap, where both are linear.
			last := points[len(points)-1]
			du, dv := new(big.Rat).Sub(last.u, last.v), new(big.Rat).Sub(u, v)
			if du.Sign()*dv.Sign() < 0 {
				// α* = a₀ + (a − a₀)·du/(du − dv)
				t := new(big.Rat).Quo(du, new(big.Rat).Sub(du, dv))
				x := new(big.Rat).Sub(a, last.alpha)
				x.Add(x.Mul(x, t), last.alpha)
				w := new(big.Rat).Sub(u, last.u)
				w.Add(w.Mul(w, t), last.u)
				points = append(points, point{x, w, w})
			}
		}
		points = append(points, point{a, u, v})
	}
	return fromProfile(points)
}

// FromProfile returns the pair whose profile interpolates the values at the α linearly and is constant after the last.
// It is falling and convex, 1 at the first α, which is 0, and at least 1 − α.
func FromProfile(alphas, values []*big.Rat) Finite {
	points := make([]point, len(alphas))
	for i := range alphas {
		points[i] = point{alphas[i], values[i], values[i]}
	}
	return fromProfile(points)
}

type point struct{ alpha, u, v *big.Rat }

func (p point) max() *big.Rat {
	if p.u.Cmp(p.v) >= 0 {
		return p.u
	}
	return p.v
}

// fromProfile returns the pair whose profile interpolates the points (α, max) linearly and is constant after the last;
// points[0].alpha = 0. The profile falls with slope −Q(P/Q > α), so Q has the slope's jump as its mass at each α, and
// P has α times that; what is left of P has infinite loss, and what is left of Q has ratio 0.
func fromProfile(points []point) Finite {
	var ms []Mass
	slope := func(i int) *big.Rat { // from point i to i+1, and 0 after the last
		if i == len(points)-1 {
			return new(big.Rat)
		}
		d := new(big.Rat).Sub(points[i+1].max(), points[i].max())
		return d.Quo(d, new(big.Rat).Sub(points[i+1].alpha, points[i].alpha))
	}
	ms = append(ms, Mass{new(big.Rat).Set(points[len(points)-1].max()), new(big.Rat)})
	left := slope(0)
	ms = append(ms, Mass{new(big.Rat), new(big.Rat).Add(big.NewRat(1, 1), left)})
	for i := 1; i < len(points); i++ {
		right := slope(i)
		q := new(big.Rat).Sub(right, left)
		ms, left = append(ms, Mass{new(big.Rat).Mul(points[i].alpha, q), q}), right
	}
	return FiniteOf(ms)
}

// Trivial reports a pair of equal distributions.
func (f Finite) Trivial() bool { return len(f.Masses) == 1 && f.Masses[0].P.Cmp(f.Masses[0].Q) == 0 }

// SqrtBelow returns a rational at most √x, x ≥ 0, and above √x − 2^−192: an integer square root.
func SqrtBelow(x *big.Rat) *big.Rat {
	const bits = 192
	n := new(big.Int).Lsh(x.Num(), 2*bits)
	n.Quo(n, x.Denom())
	return new(big.Rat).SetFrac(n.Sqrt(n), new(big.Int).Lsh(big.NewInt(1), bits))
}
