package inversion

import (
	"context"
	"math/big"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A mixture is a pair of mixtures of normal distributions of variance 1 on the line:
// Poisson-sampled Gaussians, in either direction and under replacement, and mixtures of
// Gaussians. With φ the standard normal density,
//
//	dP = φ·A dx, dQ = φ·B dx,  A(x) = Σ_i p_i·e^{m_i·x − m_i²/2},  B likewise,
//	M(s) = ∫ φ·A^{1−s}·B^s dx.
//
// The integral is a trapezoidal sum, see quadrature.
type mixture struct {
	a, b  []component
	table *table
}

type component struct {
	prob *big.Rat
	mean func(interval.Prec) interval.Interval
}

func rational(r *big.Rat) func(interval.Prec) interval.Interval {
	return func(p interval.Prec) interval.Interval { return p.Rat(r) }
}

// root returns ±√r.
func root(r *big.Rat, negative bool) func(interval.Prec) interval.Interval {
	return func(p interval.Prec) interval.Interval {
		x := p.Sqrt((p + 8).Rat(r))
		if negative {
			return x.Neg()
		}
		return x
	}
}

// newMixture reports false if x is no pair of mixtures of Gaussians.
func newMixture(x pair.Pair) (*mixture, bool) {
	m := &mixture{table: new(table)}
	standard := component{big.NewRat(1, 1), rational(new(big.Rat))}
	rest := func(rate *big.Rat) component {
		return component{new(big.Rat).Sub(big.NewRat(1, 1), rate), rational(new(big.Rat))}
	}
	reversed := false
	switch x := x.(type) {
	case pair.Sampled:
		mu2 := new(big.Rat)
		for _, t := range x.Base {
			g, ok := t.Pair.(pair.Gaussian)
			if !ok {
				return nil, false
			}
			mu2.Add(mu2, new(big.Rat).Mul(g.Mu2, new(big.Rat).SetInt64(t.Count)))
		}
		if mu2.Sign() == 0 {
			return nil, false
		}
		m.a = []component{rest(x.Rate), {x.Rate, root(mu2, false)}}
		m.b = []component{standard}
		reversed = x.Reversed
	case pair.GaussianMixture:
		for i, mean := range x.Means {
			m.a = append(m.a, component{x.Probs[i], rational(mean)})
		}
		m.b = []component{standard}
		reversed = x.Reversed
	case pair.SampledReplaceGaussian:
		m.a = []component{rest(x.Rate), {x.Rate, root(x.Mu2, false)}}
		m.b = []component{rest(x.Rate), {x.Rate, root(x.Mu2, true)}}
	default:
		return nil, false
	}
	if reversed {
		m.a, m.b = m.b, m.a
	}
	return m, true
}

// monotone reports whether the loss rises, or falls, with x everywhere: the means of A
// are all on one side of those of B.
func (m *mixture) monotone() bool {
	a, b := meanRange(m.a), meanRange(m.b)
	return a.LessEq(b) == interval.True || b.LessEq(a) == interval.True
}

func (m *mixture) infinite() (inf, lost interval.Interval) { return inf, lost }
func (m *mixture) at(interval.Prec) factor                 { return m }

// terms returns p_i·e^{m_i·x − m_i²/2}.
func terms(p interval.Prec, cs []component, x interval.Interval) []interval.Interval {
	out := make([]interval.Interval, len(cs))
	for i, c := range cs {
		mean := c.mean(p)
		out[i] = p.Mul(p.Rat(c.prob), p.Exp(p.Mul(mean, p.Sub(x, p.Scale(mean, -1)))))
	}
	return out
}

func total(p interval.Prec, xs []interval.Interval) interval.Interval {
	s := interval.Int(0)
	for _, x := range xs {
		s = p.Add(s, x)
	}
	return s
}

// logs encloses log A and log B at x.
func (m *mixture) logs(p interval.Prec, x interval.Interval) (la, lb interval.Interval) {
	return p.Log(total(p, terms(p, m.a, x))), p.Log(total(p, terms(p, m.b, x)))
}

// logWeight encloses log(√(2π)·φ·A^{1+λ}·B^{−λ}) at x, from log A and log B.
func logWeight(p interval.Prec, lambda, x, la, lb interval.Interval) interval.Interval {
	y := p.Sub(p.Mul(p.Add(lambda, one), la), p.Mul(lambda, lb))
	return p.Sub(y, p.Scale(p.Sqr(x), -1))
}

// rootTwoPi encloses √(2π).
func rootTwoPi(p interval.Prec) interval.Interval { return p.Sqrt(p.Scale(p.Pi(), 1)) }

// reach bounds the slope of log(A^{1+λ}·B^{−λ}): it is at most right and at least −left,
// as A′/A is a weighted mean of the m_i, and B′/B one of B's.
func (m *mixture) reach(lambda interval.Interval) (left, right interval.Interval) {
	a, b := meanRange(m.a), meanRange(m.b)
	slope := coarse.Sub(coarse.Mul(coarse.Add(lambda, one), a), coarse.Mul(lambda, b))
	zero := interval.Int(0)
	return interval.Max(zero, upper(slope.Neg())), interval.Max(zero, upper(slope))
}

// meanRange returns the range of the means.
func meanRange(cs []component) interval.Interval {
	r := cs[0].mean(coarse)
	for _, c := range cs[1:] {
		r = interval.Union(r, c.mean(coarse))
	}
	return r
}

// A table holds the terms of A and B at the points i/tableStep, |i| ≤ tableSize, at the
// precision coarse: what parameters are chosen and errors bounded by.
type table struct {
	once sync.Once
	rows []row
}

type row struct {
	x      interval.Interval
	a, b   []interval.Interval
	la, lb interval.Interval
}

const (
	tableStep = 8
	tableSize = 128 * tableStep
)

// rows returns the table; row tableSize + i is the point i/tableStep.
func (m *mixture) rows() []row {
	m.table.once.Do(func() {
		for i := -tableSize; i <= tableSize; i++ {
			x := coarse.Rat(big.NewRat(int64(i), tableStep))
			r := row{x: x, a: terms(coarse, m.a, x), b: terms(coarse, m.b, x)}
			r.la, r.lb = coarse.Log(total(coarse, r.a)), coarse.Log(total(coarse, r.b))
			m.table.rows = append(m.table.rows, r)
		}
	})
	return m.table.rows
}

// extent returns the rows i ≤ j outside of which the weight at λ is below 2^−bits of its
// peak, about; x_i < −left and x_j > right of reach. It reports false if the table is
// too short.
//
// The peak is between −left and right, because the logarithm's slope is −x and between
// −left and right.
func (m *mixture) extent(lambda interval.Interval, bits int) (i, j int, peak interval.Interval, ok bool) {
	rows := m.rows()
	left, right := m.reach(lambda)
	weight := func(k int) interval.Interval {
		return logWeight(coarse, lambda, rows[k].x, rows[k].la, rows[k].lb)
	}
	i, j = len(rows)/2, len(rows)/2
	peak = weight(i)
	inner := func(k int) {
		if y := weight(k); peak.Less(y) == interval.True {
			peak = y
		}
	}
	for ; i >= 0 && coarse.Add(left, one).Less(rows[i].x.Neg()) != interval.True; i-- {
		inner(i)
	}
	for ; j < len(rows) && coarse.Add(right, one).Less(rows[j].x) != interval.True; j++ {
		inner(j)
	}
	low := coarse.Sub(peak, coarse.Mul(interval.Int(int64(bits)), coarse.Ln2()))
	for i >= 0 && weight(i).Less(low) != interval.True {
		i--
	}
	for j < len(rows) && weight(j).Less(low) != interval.True {
		j++
	}
	return i, j, peak, i >= 0 && j < len(rows)
}

// estimate is the trapezoidal sum over the table.
func (m *mixture) estimate(lambda interval.Interval) (interval.Interval, bool) {
	i, j, _, ok := m.extent(lambda, 30)
	if !ok {
		return interval.Interval{}, false
	}
	s := interval.Int(0)
	for _, r := range m.rows()[i : j+1] {
		s = coarse.Add(s, coarse.Exp(logWeight(coarse, lambda, r.x, r.la, r.lb)))
	}
	return coarse.Sub(coarse.Log(s), coarse.Log(coarse.Mul(rootTwoPi(coarse), interval.Int(tableStep)))), true
}

// A quadrature is a sum Σ_k weight_k·e^{−itL_k} with an upper bound of its
// distance from M(−λ + it), for all |t| ≤ the t that it was made for.
type quadrature struct {
	weights, losses []interval.Interval
	err             interval.Interval
}

// newQuadrature returns a trapezoidal rule at λ for |t| ≤ t, whose error is about 2^−p of M(−λ).
// It reports false if there is none of moderate size.
//
// Strip bound. Let f = φ·A^{1−s}·B^s at s = −λ + it and 0 < b < π/(2·max|m_i|) over the means of A
// and B. In |Im z| ≤ b each term of A and of B has an argument in (−π/2, π/2), so A and B
// lie in the right half plane, their principal powers are analytic, and so is f. It falls
// like φ as |Re z| → ∞. For a step η,
//
//	η·Σ_k f(kη) − ∫ f dx = ∫ f(x + ib)/(e^{−2πi(x+ib)/η} − 1) dx + ∫ f(x − ib)/(e^{2πi(x−ib)/η} − 1) dx
//
// (residues of 1/(e^{∓2πiz/η} − 1) at kη; ∫ f(x ± ib) dx = ∫ f(x) dx), and the denominators
// are at least e^{2πb/η} − 1 in modulus. With θ_A, θ_B the arguments at x ± ib,
//
//	|f(x ± ib)| = φ(x)·e^{b²/2}·|A|^{1+λ}·|B|^{−λ}·e^{t(θ_A − θ_B)}
//	           ≤ φ(x)·e^{b²/2}·A(x)^{1+λ}·B_b(x)^{−λ}·e^{|t|(Θ_A + Θ_B)},
//
// where |A(x ± ib)| ≤ A(x), |B(x ± ib)| ≥ Re B(x ± ib) = B_b(x), the terms of B times cos(m_i·b), and
//
//	|θ_A| ≤ min(b·max|m_i|, Im A/Re A) ≤ Θ_A = min(b·max|m_i|, Σ a_i·|sin m_i·b| / Σ a_i·cos m_i·b).
//
// So the error is at most 2N/(e^{2πb/η} − 1) with N the integral of that bound, which is
// bounded cell by cell: terms of A and B are monotone in x, and φ is largest at the end
// next to 0. Outside of the cells, from x₁ > R = right of reach on, the slope of the
// logarithm of φ·A^{1+λ}·B_b^{−λ} is at most R − x (B_b′/B_b is a mean of B's means, too), so
// that the integral is at most its value at x₁ over x₁ − R, with e^{|t|(Θ_A + Θ_B)} at its
// largest.
//
// Cut. The terms of the sum fall beyond R, so those after x₁ add at most
// ∫_{x₁}^∞ ≤ φ·A^{1+λ}·B^{−λ}(x₁)/(x₁ − R), and the same on the left.
func (m *mixture) newQuadrature(p interval.Prec, lambda *big.Rat, t interval.Interval) (quadrature, bool) {
	l := coarse.Rat(lambda)
	first, last, peak, ok := m.extent(l, int(p)+16)
	if !ok {
		return quadrature{}, false
	}
	mean := interval.Max(meanRange(m.a).Abs(), meanRange(m.b).Abs())
	widest := coarse.Div(coarse.Mul(coarse.Pi(), coarse.Rat(big.NewRat(31, 64))), upper(mean))
	// target = log(2^(p+8)/M)
	target := coarse.Sub(coarse.Mul(interval.Int(int64(p)+8), coarse.Ln2()), peak)
	var step, bound interval.Interval // of the best strip
	for i := range 16 {
		b := coarse.Mul(widest, coarse.Rat(big.NewRat(int64(4-i%2), 4)))
		b = interval.Point(coarse.Scale(b, -i/2).Lo())
		n := m.strip(l, t, b, first, last)
		c := coarse.Mul(coarse.Scale(coarse.Pi(), 1), b)
		h := coarse.Div(c, coarse.Add(target, coarse.Log(n)))
		if h.Positive() == interval.True && step.Less(h) == interval.True {
			h = interval.Point(interval.Prec(6).Round(h).Lo())
			step = h
			bound = stripError(n, b, h)
		} else if coarse.Scale(h, 1).Less(step) == interval.True {
			break // ever narrower strips need ever finer steps
		}
	}
	const most = 1 << 15 // nodes
	if step.Less(coarse.Rat(big.NewRat(64, most))) != interval.False {
		return quadrature{}, false
	}
	return m.nodes(p, lambda, step, bound, first, last), true
}

// stripError is 2N/(e^{2πb/η} − 1).
func stripError(n, b, step interval.Interval) interval.Interval {
	c := coarse.Mul(coarse.Scale(coarse.Pi(), 1), b)
	return upper(coarse.Div(coarse.Scale(n, 1), coarse.Expm1(coarse.Div(c, step))))
}

// nodes lays the rule with the given step, an exact number, over the rows from first to
// last.
func (m *mixture) nodes(p interval.Prec, lambda *big.Rat, step, bound interval.Interval, first, last int) quadrature {
	rows := m.rows()
	w := p + 48
	lw := w.Rat(lambda)
	q := quadrature{err: bound}
	scale := w.Div(step, rootTwoPi(w))
	var low, high interval.Interval // log-weights at the two outermost nodes
	i0 := roundUp(coarse.Div(rows[first].x, step))
	i1 := roundUp(coarse.Div(rows[last].x, step))
	for i := i0 - 1; i <= i1; i++ {
		x := w.Mul(interval.Int(i), step)
		la, lb := m.logs(w, x)
		lg := logWeight(w, lw, x, la, lb)
		q.weights = append(q.weights, w.Mul(scale, w.Exp(lg)))
		q.losses = append(q.losses, w.Sub(la, lb))
		if i < i0 {
			low = lg
		}
		high = lg
	}
	left, right := m.reach(coarse.Rat(lambda))
	tail := func(log, x, reach interval.Interval) {
		y := coarse.Div(coarse.Exp(log), coarse.Mul(rootTwoPi(coarse), coarse.Sub(x, reach)))
		q.err = upper(coarse.Add(q.err, y))
	}
	tail(low, coarse.Mul(interval.Int(i0-1), step).Neg(), left)
	tail(high, coarse.Mul(interval.Int(i1), step), right)
	return q
}

// roundUp returns an integer ≥ x, x + 1 at most but for its width.
func roundUp(x interval.Interval) int64 {
	n, _ := x.Hi().Int64() // towards zero
	if x.Hi().Sign() > 0 && !x.Hi().IsInt() {
		n++
	}
	return n
}

// strip bounds N of newQuadrature at λ and |t| ≤ t for the strip |Im z| ≤ b, the integral over
// the rows from first to last and beyond.
func (m *mixture) strip(lambda, t, b interval.Interval, first, last int) interval.Interval {
	rows := m.rows()
	cosA, sinA := circle(m.a, b)
	cosB, sinB := circle(m.b, b)
	most := coarse.Mul(b, coarse.Add(meanRange(m.a).Abs(), meanRange(m.b).Abs())) // ≥ Θ_A + Θ_B
	// value bounds the integrand where the terms of A and B are in a and b, and x² ≥ x2.
	value := func(a, b []interval.Interval, x2 interval.Interval, anywhere bool) interval.Interval {
		turn := most
		if !anywhere {
			turn = interval.Min(most, coarse.Add(
				coarse.Div(dot(a, sinA), dot(a, cosA)), coarse.Div(dot(b, sinB), dot(b, cosB))))
		}
		y := coarse.Mul(coarse.Add(lambda, one), coarse.Log(total(coarse, a)))
		y = coarse.Sub(y, coarse.Mul(lambda, coarse.Log(dot(b, cosB))))
		y = coarse.Add(coarse.Sub(y, coarse.Scale(x2, -1)), coarse.Mul(t, turn))
		return upper(coarse.Exp(y))
	}
	sum := interval.Int(0)
	for i := first; i < last; i++ {
		x2 := interval.Min(coarse.Sqr(rows[i].x), coarse.Sqr(rows[i+1].x)) // 0 is a row
		sum = coarse.Add(sum, value(unions(rows[i].a, rows[i+1].a), unions(rows[i].b, rows[i+1].b), x2, false))
	}
	sum = coarse.Div(sum, interval.Int(tableStep))
	left, right := m.reach(lambda)
	l, r := rows[first], rows[last]
	sum = coarse.Add(sum, coarse.Div(value(l.a, l.b, coarse.Sqr(l.x), true), coarse.Sub(l.x.Neg(), left)))
	sum = coarse.Add(sum, coarse.Div(value(r.a, r.b, coarse.Sqr(r.x), true), coarse.Sub(r.x, right)))
	sum = coarse.Mul(sum, coarse.Exp(coarse.Scale(coarse.Sqr(b), -1)))
	return upper(coarse.Div(sum, rootTwoPi(coarse)))
}

// circle returns cos(m_i·b) and |sin(m_i·b)|.
func circle(cs []component, b interval.Interval) (cos, sin []interval.Interval) {
	for _, c := range cs {
		u := coarse.Mul(c.mean(coarse), b)
		cos = append(cos, coarse.Cos(u))
		sin = append(sin, coarse.Sin(u).Abs())
	}
	return cos, sin
}

func dot(a, b []interval.Interval) interval.Interval {
	s := interval.Int(0)
	for i := range a {
		s = coarse.Add(s, coarse.Mul(a[i], b[i]))
	}
	return s
}

func unions(a, b []interval.Interval) []interval.Interval {
	out := make([]interval.Interval, len(a))
	for i := range a {
		out[i] = interval.Union(a[i], b[i])
	}
	return out
}

func (m *mixture) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	q, ok := m.newQuadrature(p, lambda, interval.Int(0))
	if !ok {
		return interval.Bounds(new(big.Float), infinity().Hi())
	}
	return q.moment(p)
}

// moment encloses M(−λ).
func (q quadrature) moment(p interval.Prec) interval.Interval {
	y := total(p+16, q.weights)
	return p.Add(y, interval.Union(q.err.Neg(), q.err)).AtLeastZero()
}

func (m *mixture) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	q, ok := m.newQuadrature(p, lambda, coarse.Mul(h, interval.Int(int64(n))))
	if !ok {
		return nil, nil
	}
	return q.line(ctx, p, h, n)
}

// line encloses M(−λ + ijh), j = 0 … n; nil if that costs too much.
func (q quadrature) line(ctx context.Context, p interval.Prec, h interval.Interval, n int) ([]interval.Complex, error) {
	const maxWork = 1 << 29 // products of words
	if len(q.losses)*(n+1) > maxWork/(int(p)/16+1) {
		return nil, nil
	}
	w := p + 48
	theta := make([]interval.Interval, len(q.losses))
	for k, l := range q.losses {
		theta[k] = w.Mul(h, l)
	}
	out, err := exponentialSum(ctx, p, q.weights, theta, n)
	e := interval.Union(q.err.Neg(), q.err)
	disc := interval.Complex{Re: e, Im: e}
	for j := range out {
		out[j] = p.AddC(out[j], disc)
	}
	return out, err
}
