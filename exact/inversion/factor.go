package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A factor is a pair through its moment transform
//
//	M(s) = Σ_{p,q>0} p^{1−s}·q^s = E_P[e^{−sL}; L finite],  s = −λ + it, λ ≥ 0.
type factor interface {
	// estimate returns a number near log M(−λ). Only parameters are chosen by it. It
	// reports false if it has none.
	estimate(lambda interval.Interval) (interval.Interval, bool)
	// moment encloses M(−λ).
	moment(p interval.Prec, lambda *big.Rat) interval.Interval
	// line encloses M(−λ + ijh), j = 0 … n, with errors of about 2^−p·M(−λ); nil if that
	// costs too much.
	line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error)
	// decay prepares bounds of |M(−λ + it)| at one λ.
	decay(lambda *big.Rat) decay
	// infinite encloses the P-mass of infinite loss, and bounds that of outcomes which
	// the transform leaves out.
	infinite() (inf, lost interval.Interval)
	// at returns the factor as it is to be used at a working precision: moment, line,
	// decay and infinite of one such factor are about the same transform.
	at(p interval.Prec) factor
}

// A decay returns an upper bound of |M(−λ + it)|/M(−λ) for all |t| ∈ [a, b], as a point ≤ 1;
// for all |t| ≥ a if b is +∞.
type decay func(a, b interval.Interval) interval.Interval

// constant is the decay of a transform about which only |M(−λ + it)| ≤ M(−λ) is used.
func constant(_, _ interval.Interval) interval.Interval { return interval.Int(1) }

// coarse is the precision at which parameters are chosen and errors are bounded.
const coarse = interval.Prec(64)

// infinity is the point +∞.
func infinity() interval.Interval {
	f := new(big.Float).SetInf(false)
	return interval.Bounds(f, f)
}

var one = interval.Int(1)

// upper returns the upper end of x as a point.
func upper(x interval.Interval) interval.Interval { return interval.Point(x.Hi()) }

// newFactor returns the transform of a pair, and reports false if it is not known.
func newFactor(x pair.Pair) (factor, bool) {
	switch x := x.(type) {
	case pair.Gaussian:
		return gaussian{x.Mu2}, true
	case pair.Laplace:
		return laplace{x.Shift}, true
	case pair.Logistic:
		return logistic{x.Shift}, true
	case pair.Sampled:
		if m, ok := newMixture(x); ok {
			return m, true
		}
		if s, ok := sampledLaplaceOf(x); ok {
			return s, true
		}
	case pair.GaussianMixture, pair.SampledReplaceGaussian:
		if m, ok := newMixture(x); ok {
			return m, true
		}
	}
	return newDiscrete(x, coarse)
}

// gaussian is (N(μ, 1), N(0, 1)): M(s) = e^{μ²s(s−1)/2}, because L is normal with mean μ²/2 and
// variance μ² under P. At s = −λ + it, s(s − 1) = λ(λ+1) − t² − it(2λ + 1).
type gaussian struct{ mu2 *big.Rat }

func (g gaussian) half(p interval.Prec) interval.Interval { return p.Scale(p.Rat(g.mu2), -1) }

func (g gaussian) estimate(lambda interval.Interval) (interval.Interval, bool) {
	return coarse.Mul(g.half(coarse), coarse.Mul(lambda, coarse.Add(lambda, one))), true
}

func (g gaussian) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 32
	l := w.Rat(lambda)
	return p.Exp(w.Mul(g.half(w), w.Mul(l, w.Add(l, one))))
}

func (g gaussian) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	w := p + 64
	l, half := w.Rat(lambda), g.half(w)
	base := w.Mul(l, w.Add(l, one))
	twice := w.Add(w.Scale(l, 1), one)
	out := make([]interval.Complex, n+1)
	for j := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t := w.Mul(interval.Int(int64(j)), h)
		out[j] = p.ExpC(interval.Complex{
			Re: w.Mul(half, w.Sub(base, w.Sqr(t))),
			Im: w.Mul(half, w.Mul(t, twice)).Neg(),
		})
	}
	return out, nil
}

// decay is e^{−μ²t²/2}, exactly.
func (g gaussian) decay(*big.Rat) decay {
	half := g.half(coarse)
	return func(a, _ interval.Interval) interval.Interval {
		return interval.Min(one, upper(coarse.Exp(coarse.Mul(half, coarse.Sqr(a)).Neg())))
	}
}

func (g gaussian) infinite() (inf, lost interval.Interval) { return inf, lost }
func (g gaussian) at(interval.Prec) factor                 { return g }

// laplace is (Lap(x, 1), Lap(0, 1)). Under P the loss has the atoms 1/2 at x and e^{−x}/2 at −x,
// and the density e^{(l−x)/2}/4 between, so that with u = 1/2 − s, Re u ≥ 1/2,
//
//	M(s) = (e^{−sx} + e^{(s−1)x})/2 + e^{−x/2}·(e^{ux} − e^{−ux})/(4u)
//	     = e^{−x/2}·[(e^{ux} + e^{−ux})/2 + (e^{ux} − e^{−ux})/(4u)].
type laplace struct{ x *big.Rat }

// transform returns M(s).
func (l laplace) transform(p interval.Prec, s interval.Complex) interval.Complex {
	w := p + 32
	x := w.Rat(l.x)
	u := w.SubC(interval.Complex{Re: w.Scale(one, -1)}, s)
	up, down := w.ExpC(w.ScaleC(x, u)), w.ExpC(w.ScaleC(x, u).Neg())
	atoms := w.AddC(up, down)
	density := w.DivC(w.SubC(up, down), w.ScaleC(interval.Int(2), u))
	return p.ScaleC(w.Scale(w.Exp(w.Scale(x, -1).Neg()), -1), w.AddC(atoms, density))
}

func (l laplace) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 32
	return p.Round(l.transform(w, interval.Complex{Re: w.Rat(lambda).Neg()}).Re)
}

func (l laplace) estimate(lambda interval.Interval) (interval.Interval, bool) {
	return coarse.Log(l.transform(coarse, interval.Complex{Re: lambda.Neg()}).Re), true
}

func (l laplace) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	w := p + 64
	re := w.Rat(lambda).Neg()
	out := make([]interval.Complex, n+1)
	for j := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[j] = p.RoundC(l.transform(p+8, interval.Complex{Re: re, Im: w.Mul(interval.Int(int64(j)), h)}))
	}
	return out, nil
}

// decay is that of the pair sampled at rate 1.
func (l laplace) decay(lambda *big.Rat) decay { return l.sampled().decay(lambda) }

func (l laplace) sampled() *sampledLaplace { return newSampledLaplace(l.x, big.NewRat(1, 1), false) }

func (l laplace) infinite() (inf, lost interval.Interval) { return inf, lost }
func (l laplace) at(interval.Prec) factor                 { return l }

// discrete is a pair with countably many outcomes: M(s) = Σ p·e^{−sL} over those of finite
// loss. The outcomes are enclosed, and for some pairs chosen, at one precision. Those
// beyond the limits of pair.Outcomes are left out of the transform; each would add to δ
// between 0 and its P-mass.
type discrete struct {
	pair      pair.Pair
	outcomes  []outcome // of finite loss
	inf, lost interval.Interval
}

type outcome struct{ p, loss interval.Interval }

// maxOutcomes bounds the outcomes of one pair.
const maxOutcomes = 4096

func newDiscrete(x pair.Pair, p interval.Prec) (discrete, bool) {
	d := discrete{pair: x}
	os, lost, ok := pair.Outcomes(x, p, maxOutcomes)
	for _, o := range os {
		switch {
		case o.P.IsZero():
		case o.Q.IsZero():
			d.inf = p.Add(d.inf, o.P)
		case o.Exact:
			d.outcomes = append(d.outcomes, outcome{o.P, o.Loss.Enclose(p)})
		default:
			d.outcomes = append(d.outcomes, outcome{o.P, p.Log(p.Div(o.P, o.Q))})
		}
	}
	d.lost = lost
	return d, ok && len(d.outcomes) > 0
}

func (d discrete) at(p interval.Prec) factor {
	if e, ok := newDiscrete(d.pair, p+64); ok {
		return e
	}
	return d
}

func (d discrete) estimate(lambda interval.Interval) (interval.Interval, bool) {
	s := d.sum(coarse, lambda)
	return coarse.Log(s), s.Positive() == interval.True
}

// sum encloses Σ p·e^{λL}.
func (d discrete) sum(p interval.Prec, lambda interval.Interval) interval.Interval {
	s := interval.Int(0)
	for _, o := range d.outcomes {
		s = p.Add(s, p.Mul(o.p, p.Exp(p.Mul(lambda, o.loss))))
	}
	return s
}

func (d discrete) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 64
	return p.Round(d.sum(w, w.Rat(lambda)))
}

func (d discrete) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
	w := p + 64
	a, theta := make([]interval.Interval, len(d.outcomes)), make([]interval.Interval, len(d.outcomes))
	l := w.Rat(lambda)
	for k, o := range d.outcomes {
		a[k] = w.Mul(o.p, w.Exp(w.Mul(l, o.loss)))
		theta[k] = w.Mul(h, o.loss)
	}
	return exponentialSum(ctx, p, a, theta, n)
}

// decay: atoms keep |M| from falling.
func (d discrete) decay(*big.Rat) decay { return constant }

func (d discrete) infinite() (inf, lost interval.Interval) { return d.inf, d.lost }
