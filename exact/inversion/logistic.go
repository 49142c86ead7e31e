package inversion

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// logistic is (Logistic(x, 1), Logistic(0, 1)). Under P the loss has the density e^{l/2}/(4·sinh(x/2)) on
// [−x, x] (closed.Logistic), so that with u = 1/2 − s, Re u ≥ 1/2,
//
//	M(s) = (e^{ux} − e^{−ux})/(4u·sinh(x/2)).
type logistic struct{ x *big.Rat }

// transform returns M(s).
func (l logistic) transform(p interval.Prec, s interval.Complex) interval.Complex {
	w := p + 32
	x := w.Rat(l.x)
	u := w.SubC(interval.Complex{Re: w.Scale(one, -1)}, s)
	wave := w.SubC(w.ExpC(w.ScaleC(x, u)), w.ExpC(w.ScaleC(x, u).Neg()))
	half := w.Scale(x, -1)
	scale := w.Scale(w.Sub(w.Exp(half), w.Exp(half.Neg())), 1) // 4·sinh(x/2)
	return p.ScaleC(w.Inv(scale), w.DivC(wave, u))
}

func (l logistic) moment(p interval.Prec, lambda *big.Rat) interval.Interval {
	w := p + 32
	return p.Round(l.transform(w, interval.Complex{Re: w.Rat(lambda).Neg()}).Re)
}

func (l logistic) estimate(lambda interval.Interval) (interval.Interval, bool) {
	return coarse.Log(l.transform(coarse, interval.Complex{Re: lambda.Neg()}).Re), true
}

func (l logistic) line(ctx context.Context, p interval.Prec, lambda *big.Rat, h interval.Interval, n int) ([]interval.Complex, error) {
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

// decay: with a = 1/2 + λ, |e^{ux} − e^{−ux}| ≤ 2·cosh(ax) and |u|² = a² + t², so that
//
//	|M(−λ + it)|/M(−λ) ≤ a·coth(ax)/√(a² + t²),
//
// which falls with |t|. There is no atom, and it falls to 0.
func (l logistic) decay(lambda *big.Rat) decay {
	a := coarse.Rat(new(big.Rat).Add(lambda, big.NewRat(1, 2)))
	fall := coarse.Exp(coarse.Scale(coarse.Mul(a, coarse.Rat(l.x)), 1).Neg()) // e^{−2ax}
	coth := coarse.Div(coarse.Add(one, fall), coarse.Sub(one, fall))
	top := coarse.Mul(a, coth)
	return func(t, _ interval.Interval) interval.Interval {
		return interval.Min(one, upper(coarse.Div(top, coarse.Sqrt(coarse.Add(coarse.Sqr(a), coarse.Sqr(t))))))
	}
}

func (l logistic) infinite() (inf, lost interval.Interval) { return inf, lost }
func (l logistic) at(interval.Prec) factor                 { return l }
