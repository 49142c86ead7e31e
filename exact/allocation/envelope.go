// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math/big"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// An envelope is log S ≤ T + above on an event outside of which S has a mean of at most beta.
type envelope struct{ above, beta double.Interval }

// tails bounds V = Σ p_i(1 − p_i) but for an event of S-mass of at most share on either side: with λ > 0, by Markov's
// inequality,
//
//	E[S; V ≥ v] ≤ e^{−λv}·(E[Y·e^{λu}])^k·(E e^{λu})^{t−k}, and with −λ for V ≤ v.
func (s *step) tails(k, t int64, logShare double.Interval) (least, most double.Interval) {
	most = double.Int(t).Mul(double.Point(0.25))
	for i := -14; i <= 14; i++ {
		for _, sign := range []float64{-1, 1} {
			l := double.Int(int64(1) << uint(i+20)).Mul(double.Point(0x1p-20)) // 2^i
			var q, p double.Interval
			for j, u := range s.us {
				at := u.Lower()
				if sign > 0 {
					at = u.Upper()
				}
				e := double.Point(sign).Mul(l).Mul(at).Exp()
				q, p = q.Add(s.qs[j].Mul(e)), p.Add(s.ps[j].Mul(e))
			}
			log := double.Int(k).Mul(p.Log()).Add(double.Int(t - k).Mul(q.Log()))
			v := log.Sub(logShare).Div(l)
			if sign > 0 && v.Hi < most.Hi {
				most = v.Upper()
			}
			if v = v.Neg(); sign < 0 && v.Lo > least.Lo {
				least = v.Lower()
			}
		}
	}
	return least, most.AtLeastZero() // which Markov's inequality may be below, of little S-mass
}

// newEnvelope bounds S given T. As |E e^{iθN}| ≤ e^{−V(1 − cos θ)}, Pr[N = k] ≤ B(V) = e^{−V}·I₀(V), and S = x^{−k}·Π(1
// + xY_i)·Pr[N = k]/C(t, k). Where least ≤ V ≤ most, log B(V) + tangent·V is at most its greater end, as B is a Laplace
// transform and log-convex. What rounding takes from T is at most its greatest, or its mean and a share of its range
// [Hoeffding 1963, Theorem 2].
func (s *step) newEnvelope(k, t int64, logShare double.Interval) envelope {
	const w = interval.Prec(96)
	least, most := s.tails(k, t, logShare)
	end := func(v double.Interval) double.Interval {
		return logBessel(v).Add(double.Point(s.d.tangent).Mul(v))
	}
	top := double.Max(end(least.Lower()), end(most.Upper()))
	range_ := s.round.Upper().Sub(s.round.Lower())
	lost := double.Int(t).Mul(s.round.Upper())
	mean := double.Int(t - k).Mul(s.meanQ.Upper()).Add(double.Int(k).Mul(s.meanP.Upper()))
	if y := mean.Add(range_.Mul(double.Int(t).Mul(logShare.Neg()).Half().Sqrt())); y.Hi < lost.Hi {
		lost = y
	}
	sets := double.Of(w.Log(w.BigInt(new(big.Int).Binomial(t, k))))
	above := top.Add(lost).Sub(double.Int(k).Mul(double.Point(s.d.x).Log())).Sub(sets)
	far := w.Add(w.Mul(interval.Int(k), s.beyondP), w.Mul(interval.Int(t-k), s.beyondQ))
	return envelope{above.Upper(), double.Int(3).Mul(logShare.Exp()).Add(double.Of(far)).Upper()}
}

// logBessel bounds log(e^{−v}·I₀(v)) from above, v ≥ 0: I₀(v) = Σ (v/2)^{2n}/n!², of which the terms from one on
// fall by half at least once n² ≥ v²/2.
func logBessel(v double.Interval) double.Interval {
	const w = interval.Prec(96)
	x := v.Upper().Exact()
	square := w.Scale(w.Sqr(x), -2)
	sum, term := interval.Int(1), interval.Int(1)
	for n := int64(1); ; n++ {
		term = w.Mul(term, w.Div(square, interval.Int(n*n)))
		sum = w.Add(sum, term)
		if w.Scale(square, 1).LessEqRat(big.NewRat(n*n, 1)) == interval.True &&
			term.LessEq(w.Scale(sum, -60)) == interval.True {
			sum = w.Add(sum, term) // what follows
			break
		}
	}
	return double.Of(w.Sub(w.Log(sum), v.Lower().Exact())).Upper()
}
