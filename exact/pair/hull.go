package pair

import (
	"math/big"
	"slices"
	"strings"

	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// Hull is the largest pair whose profile respects the points δ(Epsilon) ≤ Delta in
// both orientations [Zhu, Dong & Wang 2022, Proposition 8 and Corollary 26]. Its
// profile, as a function of α = e^ε, is the lower convex hull of (0, 1), of the
// points (e^ε, δ), of their mirror images (e^−ε, 1 − e^−ε + e^−ε·δ), which bound the
// other orientation, and of a horizontal line at infinity.
//
// Every profile that respects the points lies below each chord of the hull, and
// the hull respects them; mirroring maps the set of points to itself, hence the
// hull too: it is attained, and self-dual.
type Hull struct{ points []mechanism.ProfilePoint }

func newHull(points []mechanism.ProfilePoint) Pair {
	if len(points) == 1 && points[0].Epsilon.Sign() >= 0 {
		return Response{points[0].Epsilon, points[0].Delta}
	}
	return Hull{points}
}

func (Hull) isPair()         {}
func (h Hull) Reverse() Pair { return h }
func (Hull) SelfDual() bool  { return true }
func (h Hull) String() string {
	parts := make([]string, len(h.points))
	for i, p := range h.points {
		parts[i] = p.Epsilon.RatString() + ":" + p.Delta.RatString()
	}
	return "Hull(" + strings.Join(parts, " ") + ")"
}

// outcomes returns the pair's outcomes. A vertex at α has the Q-mass by which the
// slope of the hull jumps there: the least slope to a point on its right, or 0,
// minus the greatest slope from a point on its left, if that is positive; for a
// point that is no vertex it is not.
//
// Points that are on or above the chord of two others, for certain, are no vertices and take no
// part [Andrew 1979]. Let s_1 … s_n be the slopes between the others, in order, s_1 from (0, 1). A slope
// between two of them, further apart, is a weighted mean of the s in between. So the least slope from
// point i to the right lies between the least of s_{i+1}, …, s_n and s_{i+1}, and the greatest slope from the left between s_i
// and the greatest of s_1, …, s_i. Those are equal where the order of the slopes is
// certain, and close where it is not: nothing needs to be decided.
func (h Hull) outcomes(p interval.Prec) []Outcome {
	q := p + 32
	type vertex struct {
		eps         *big.Rat
		alpha, d    interval.Interval
		left, right interval.Interval
	}
	one := interval.Int(1)
	at := func(eps *big.Rat, d interval.Interval) vertex {
		a := q.Exp(q.Rat(eps))
		// No profile is below (1 − α)₊.
		return vertex{eps: eps, alpha: a, d: interval.Max(d, interval.Max(interval.Int(0), q.Sub(one, a)))}
	}
	var vs []vertex
	for _, pt := range h.points {
		d := q.Rat(pt.Delta)
		vs = append(vs, at(pt.Epsilon, d))
		if pt.Epsilon.Sign() != 0 {
			m := new(big.Rat).Neg(pt.Epsilon)
			e := q.Exp(q.Rat(m))
			vs = append(vs, at(m, q.Add(q.Sub(one, e), q.Mul(e, d))))
		}
	}
	slices.SortStableFunc(vs, func(a, b vertex) int { return a.eps.Cmp(b.eps) })
	merged := vs[:1]
	for _, v := range vs[1:] {
		if last := &merged[len(merged)-1]; last.eps.Cmp(v.eps) == 0 {
			last.d = interval.Min(last.d, v.d)
		} else {
			merged = append(merged, v)
		}
	}
	vs = merged
	slope := func(a, b vertex) interval.Interval {
		return q.Div(q.Sub(b.d, a.d), q.Sub(b.alpha, a.alpha))
	}
	chain := []vertex{{d: one}} // (0, 1)
	slopes := []interval.Interval{{}}
	least := one
	for _, v := range vs {
		least = interval.Min(least, v.d)
		n := len(chain) - 1
		s := slope(chain[n], v)
		for n > 0 && s.LessEq(slopes[n]) == interval.True {
			n--
			s = slope(chain[n], v)
		}
		chain, slopes = append(chain[:n+1], v), append(slopes[:n+1], s)
	}
	zero := interval.Int(0)
	next, lowest := zero, zero // the slope on the right, and the least of all on the right
	for i := len(chain) - 1; i >= 0; i-- {
		chain[i].right = interval.Union(lowest, interval.Min(zero, next))
		if i > 0 {
			next, lowest = slopes[i], interval.Min(lowest, slopes[i])
		}
	}
	for i, highest := 1, slopes[1]; i < len(chain); i++ {
		highest = interval.Max(highest, slopes[i])
		chain[i].left = interval.Union(slopes[i], highest)
	}
	start := chain[0].right // the slope at α = 0
	vs = chain[1:]
	var out []Outcome
	if !least.IsZero() {
		out = append(out, Outcome{P: p.Round(least)})
	}
	for i := len(vs) - 1; i >= 0; i-- {
		v := vs[i]
		m := interval.Max(interval.Int(0), q.Sub(v.right, v.left))
		if m.IsZero() {
			continue // no vertex, for certain
		}
		out = append(out, Outcome{P: p.Round(q.Mul(v.alpha, m)), Q: p.Round(m), Loss: RatLoss(v.eps), Exact: true})
	}
	rest := interval.Max(interval.Int(0), q.Add(one, start))
	return append(out, Outcome{Q: p.Round(rest)})
}
