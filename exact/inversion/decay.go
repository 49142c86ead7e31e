package inversion

import (
	"math/big"

	"dpverify/exact/interval"
)

// A cell is an interval of x, with bounds of quantities of the tilted density
// f(x)/M(−λ), f = φ·A^{1+λ}·B^{−λ}, and of the loss L on it.
type cell struct {
	least, most interval.Interval // bounds of the mass, points
	loss        interval.Interval
	jump        interval.Interval // bound of |f/(M·L′)|; +∞ where L′ may vanish
	variation   interval.Interval // bound of ∫|(f/L′)′| dx/M
}

// decay bounds |ψ(t)|, ψ(t) = M(−λ + it)/M(−λ) = E[e^{−itL}] under the tilted density, in two
// ways.
//
// Pairs. With an independent copy L* of L, |ψ(t)|² = E cos(t(L − L*)), and 1 − cos u ≥ 0, so
//
//	1 − |ψ(t)|² ≥ Σ m_i·m_j·min{1 − cos(t·d) : d ∈ L(cell i) − L(cell j)}
//
// over any pairs of cells, with lower bounds m_i of their masses. For |u| ≤ π, 1 − cos u is
// increasing in |u| and at least max(2u²/π², u²/2 − u⁴/24); other pairs are left out.
//
// Integration by parts. On an interval [x₀, x₁] on which L′ ≠ 0, with G = f/(M·L′),
//
//	∫ f/M·e^{−itL} dx = ∫ G·L′·e^{−itL} dx = (i/t)·{[G·e^{−itL}] − ∫ G′·e^{−itL} dx},
//
// so |ψ(t)| ≤ (mass elsewhere) + (|G(x₀)| + |G(x₁)| + ∫|G′|)/|t|, added up over such intervals.
//
// Cells. With S = (log f)′ = −x + (1+λ)A′/A − λB′/B and L′ = A′/A − B′/B: A′/A is the mean of the
// m_i with weights ∝ a_i, which rises with x, by its variance V_A: so L″ = V_A − V_B, and
// all are enclosed on a cell from its ends. From the middle c of a cell of radius r, f lies
// between f(c)·e^{−r·sup|S|} and f(c)·e^{r·sup|S|}, L in L(c) ± r·sup|L′|, and G′ = G·(S − L″/L′).
//
// Beyond the cells there is at most (f(x₁)/(x₁ − R))/M of the mass on the right, and the
// same on the left, see newQuadrature.
func (m *mixture) decay(lambda *big.Rat) decay {
	norm := m.moment(coarse, lambda)
	cells, outside, ok := m.cells(lambda, norm)
	if !ok {
		return constant
	}
	pairs := newPairs(groups(cells))
	elsewhere, variation := byParts(cells, outside)
	return func(a, b interval.Interval) interval.Interval {
		y := one
		if b.IsFinite() {
			y = interval.Min(y, pairs.bound(a, b))
		}
		return interval.Min(y, upper(coarse.Add(elsewhere, coarse.Div(variation, a))))
	}
}

// cells returns the cells between the rows of the table, and a bound of the mass outside.
func (m *mixture) cells(lambda *big.Rat, norm interval.Interval) (cells []cell, outside interval.Interval, ok bool) {
	if norm.Positive() != interval.True || !norm.IsFinite() {
		return nil, outside, false
	}
	l := coarse.Rat(lambda)
	const bits = 60
	first, last, _, ok := m.extent(l, bits)
	if !ok {
		return nil, outside, false
	}
	rows := m.rows()
	scale := coarse.Inv(coarse.Mul(norm, rootTwoPi(coarse)))
	f := func(x, la, lb interval.Interval) interval.Interval { // f(x)/M
		return coarse.Mul(scale, coarse.Exp(logWeight(coarse, l, x, la, lb)))
	}
	const width = 2 * tableStep // of a cell, inverted
	radius := coarse.Rat(big.NewRat(1, 2*width))
	for i := first; i < last; i++ {
		l0, l1 := rows[i], rows[i+1]
		mid := coarse.Scale(coarse.Add(l0.x, l1.x), -1)
		a, b := terms(coarse, m.a, mid), terms(coarse, m.b, mid)
		half := row{x: mid, a: a, b: b}
		for _, ends := range [][2]row{{l0, half}, {half, l1}} {
			cells = append(cells, m.newCell(l, ends[0], ends[1], radius, f))
		}
	}
	left, right := m.reach(l)
	r0, r1 := rows[first], rows[last]
	outside = coarse.Add(
		coarse.Div(f(r0.x, r0.la, r0.lb), coarse.Sub(r0.x.Neg(), left)),
		coarse.Div(f(r1.x, r1.la, r1.lb), coarse.Sub(r1.x, right)))
	return cells, upper(outside), true
}

func (m *mixture) newCell(lambda interval.Interval, r0, r1 row, radius interval.Interval, f func(x, la, lb interval.Interval) interval.Interval) cell {
	mid := coarse.Scale(coarse.Add(r0.x, r1.x), -1)
	la, lb := m.logs(coarse, mid)
	meanA, varA := moments(m.a, r0.a, r1.a)
	meanB, varB := moments(m.b, r0.b, r1.b)
	slope := coarse.Sub(coarse.Mul(coarse.Add(lambda, one), meanA), coarse.Mul(lambda, meanB))
	slope = coarse.Sub(slope, interval.Union(r0.x, r1.x))
	lossSlope := coarse.Sub(meanA, meanB)
	density := f(mid, la, lb)
	grow := coarse.Exp(coarse.Mul(radius, upper(slope.Abs())))
	width := coarse.Scale(radius, 1)
	most := upper(coarse.Mul(density, grow))
	c := cell{
		least: interval.Point(coarse.Mul(width, coarse.Div(density, grow)).Lo()),
		most:  upper(coarse.Mul(width, most)),
	}
	spread := coarse.Mul(radius, upper(lossSlope.Abs()))
	c.loss = coarse.Add(coarse.Sub(la, lb), interval.Union(spread.Neg(), spread))
	low := interval.Point(lossSlope.Abs().Lo())
	if low.Positive() != interval.True {
		c.jump = infinity()
		return c
	}
	c.jump = upper(coarse.Div(most, low))
	bend := coarse.Div(coarse.Sub(varA, varB), lossSlope)
	c.variation = upper(coarse.Mul(coarse.Mul(width, c.jump), coarse.Sub(slope, bend).Abs()))
	return c
}

// moments encloses the mean and the variance of the means with weights between those at
// the two ends of a cell.
func moments(cs []component, w0, w1 []interval.Interval) (mean, variance interval.Interval) {
	means := make([]interval.Interval, len(cs))
	for i, c := range cs {
		means[i] = c.mean(coarse)
	}
	if len(cs) == 1 {
		return means[0], interval.Int(0)
	}
	at := func(w []interval.Interval) interval.Interval { return coarse.Div(dot(w, means), total(coarse, w)) }
	mean = interval.Union(at(w0), at(w1))
	w := unions(w0, w1)
	for i, x := range means {
		variance = coarse.Add(variance, coarse.Mul(w[i], coarse.Sqr(coarse.Sub(x, mean))))
	}
	return mean, coarse.Div(variance, total(coarse, w))
}

// A pairSum bounds 1 − |ψ|² from below by pairs of groups of cells.
type pairSum []pairTerm

type pairTerm struct {
	weight  interval.Interval // 2·m_i·m_j, from below
	near    interval.Interval // d², from below
	farther interval.Interval // d, from above
}

// A group is a range of the loss, with a mass of which at least the lower end is on it.
type group struct{ mass, loss interval.Interval }

// groups takes the cells by twos, which are adjacent.
func groups(cells []cell) []group {
	var out []group
	for i := 0; i+1 < len(cells); i += 2 {
		out = append(out, group{coarse.Add(cells[i].least, cells[i+1].least), interval.Union(cells[i].loss, cells[i+1].loss)})
	}
	return out
}

// newPairs takes the groups that hold more than 2^−9 of the mass each, and of the rest
// nothing. No two groups share mass.
func newPairs(all []group) pairSum {
	var groups []group
	for _, g := range all {
		if coarse.Scale(one, -9).Less(g.mass) == interval.True {
			groups = append(groups, g)
		}
	}
	var out pairSum
	for i, g := range groups {
		for _, h := range groups[:i] {
			d := coarse.Sub(g.loss, h.loss).Abs()
			near := interval.Point(d.Lo())
			if near.IsZero() {
				continue
			}
			out = append(out, pairTerm{
				weight:  interval.Point(coarse.Scale(coarse.Mul(g.mass, h.mass), 1).Lo()),
				near:    interval.Point(coarse.Sqr(near).Lo()),
				farther: upper(d),
			})
		}
	}
	return out
}

// bound returns an upper bound of |ψ(t)| for |t| ∈ [a, b].
func (ps pairSum) bound(a, b interval.Interval) interval.Interval {
	const p = interval.Prec(32)
	sum := interval.Int(0)
	pi := p.Pi()
	limit := p.Div(interval.Point(pi.Lo()), b)
	a2 := p.Sqr(a)
	chord := p.Div(interval.Int(2), p.Sqr(pi))
	for _, t := range ps {
		if t.farther.LessEq(limit) != interval.True {
			continue
		}
		u2 := p.Mul(a2, t.near)
		y := interval.Max(p.Mul(chord, u2), p.Sub(p.Scale(u2, -1), p.Div(p.Sqr(u2), interval.Int(24))))
		sum = p.Add(sum, p.Mul(t.weight, interval.Point(y.Lo())))
	}
	return upper(coarse.Sqrt(interval.Max(interval.Int(0), coarse.Sub(one, sum))))
}

// byParts returns c and v with |ψ(t)| ≤ c + v/|t|. Cells on which L′ may vanish count by their
// mass.
func byParts(cells []cell, outside interval.Interval) (elsewhere, variation interval.Interval) {
	elsewhere = outside
	inside := false
	for i, c := range cells {
		if !c.jump.IsFinite() {
			elsewhere = coarse.Add(elsewhere, c.most)
			if inside {
				variation = coarse.Add(variation, cells[i-1].jump)
			}
			inside = false
			continue
		}
		if !inside {
			variation = coarse.Add(variation, c.jump)
		}
		variation = coarse.Add(variation, c.variation)
		inside = true
	}
	if inside {
		variation = coarse.Add(variation, cells[len(cells)-1].jump)
	}
	return upper(elsewhere), upper(variation)
}
