// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package props

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/closed"
	"dpverify/exact/interval"
	"dpverify/exact/inversion"
	"dpverify/exact/pair"
	"dpverify/exact/pld"
	"dpverify/exact/profile"
	"dpverify/exact/renyi"
	"dpverify/mechanism"
)

// disjoint returns an error unless the two enclosures meet.
func disjoint(x, y interval.Interval, format string, args ...any) error {
	if _, ok := interval.Intersect(x, y); !ok {
		return fmt.Errorf("%s: [%s, %s] and [%s, %s] are disjoint", fmt.Sprintf(format, args...),
			text(x.Lo()), text(x.Hi()), text(y.Lo()), text(y.Hi()))
	}
	return nil
}

// Chourasia et al. 2024, Theorem 3.2, (22): δ(ε) = ∫_0^∞ e^−t·P(L > ε + t) dt, in the variable v = e^(ε+t)
// the integral of e^ε/v² over steps; (25) is TestLemma5TailsOfTheLoss.
func TestTheorem32TailIntegral(t *testing.T) {
	forAll(t, 52, scenes, func(s scene) error {
		f := s.A.finite()
		for _, alpha := range alphas(s.A) {
			if alpha.Sign() == 0 {
				continue
			}
			sum, v := new(big.Rat), alpha
			for _, next := range alphas(s.A) {
				if next.Cmp(alpha) <= 0 {
					continue
				}
				p, _, _, _ := s.A.lossMasses(v) // constant on [v, next)
				sum.Add(sum, mul(p, sub(quo(alpha, v), quo(alpha, next))))
				v = next
			}
			p, _, _, _ := s.A.lossMasses(v)
			sum.Add(sum, mul(p, quo(alpha, v)))
			if got := f.Delta(alpha); got.Cmp(sum) != 0 {
				return fmt.Errorf("H_%s = %s, the integral is %s", alpha.RatString(), got.RatString(), sum.RatString())
			}
		}
		return nil
	})
}

// The same for noise with closed tails: δ lies between the two sums over a partition,
// because P(L > u) falls. It ties the Q-tails, which δ uses, to the P-tails.
func TestTheorem32ClosedTails(t *testing.T) {
	forAll(t, 20, noises(5), func(c noise) error {
		const w = interval.Prec(96)
		var x pair.Pair
		switch c.Kind {
		case 0:
			x = pair.Gaussian{Mu2: c.X}
		case 1:
			x = pair.Laplace{Shift: c.X}
		case 2:
			x = pair.Truncated{Noise: pair.GaussianNoise, Width: c.Y, Sensitivity: c.X, Radius: add(c.X, c.Y)}
		case 3:
			x = pair.Clamped{Noise: pair.LaplaceNoise, Location: sub(c.X, one), Width: one, Shift: c.Y, ShiftFirst: c.Count == 1, Reversed: c.Count == 2}
		case 4:
			x = pair.Sampled{Rate: c.Rate, Base: pair.Product{{Pair: pair.Gaussian{Mu2: c.X}, Count: 1}}, Reversed: c.Count == 2}
		}
		tails, ok := closed.PairTails(x)
		if !ok {
			return fmt.Errorf("%s has no tails", x)
		}
		const n = 60
		lower, upper := interval.Int(0), interval.Int(0)
		last, _ := tails(w, closed.RatArg(w, c.Eps))
		weight := interval.Int(1) // e^−t
		for i := int64(1); i <= n; i++ {
			step := mul(big.NewRat(i*i, n*n), rat("12"))
			p, _ := tails(w, closed.RatArg(w, add(c.Eps, step)))
			next := w.Exp(w.Rat(neg(step)))
			width := w.Sub(weight, next)
			upper = w.Add(upper, w.Mul(width, last))
			lower = w.Add(lower, w.Mul(width, p))
			last, weight = p, next
		}
		upper = w.Add(upper, w.Mul(weight, last))
		y := tails.Delta(64, interval.RealRat(c.Eps))
		if y.Less(lower) == interval.True || upper.Less(y) == interval.True {
			return fmt.Errorf("δ(%s) of %s in [%s, %s], between the sums %s and %s", c.Eps.RatString(), x, text(y.Lo()), text(y.Hi()), text(lower.Lo()), text(upper.Hi()))
		}
		if gap := w.Sub(upper, lower); gap.LessRat(rat("1/4")) != interval.True {
			return fmt.Errorf("the sums are too far apart for a test: %s", gap)
		}
		return nil
	})
}

// Chourasia et al. 2024, (9), (19) and (26), reversal and frequency shift (70), (72) of Table 1:
// M_α(P‖Q) = M_{1−α}(Q‖P), that is (1−α)R_α(P‖Q) = αR_{1−α}(Q‖P), for 0 < α < 1; infinite losses are in no
// part of either.
func TestIdentity9SkewSymmetry(t *testing.T) {
	forAll(t, 40, scenes, func(s scene) error {
		const w = interval.Prec(300)
		prod := pair.Product{{Pair: s.A.finite(), Count: int64(s.K)}, {Pair: s.B.finite(), Count: 1}}
		forwards, backwards := renyi.Of(prod), renyi.Of(prod.Reverse())
		for _, alpha := range rats("1/2", "1/3", "9/10") {
			rest := sub(one, alpha)
			x := w.Mul(w.Rat(rest), forwards(s.Prec, renyi.At(alpha)))
			y := w.Mul(w.Rat(alpha), backwards(200, renyi.At(rest)))
			if err := disjoint(x, y, "(1−α)R_α at α = %s", alpha.RatString()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Table 1 of Chourasia et al. 2024 as the engine uses it on moments: linearity (68) makes
// 1 − q + q·M of a mixture with nothing, convolution (75) a product of a composition; and on
// profiles: a shift in time (69) and linearity make the product with a discrete pair
// (TestTheorem42Corrected).
func TestTable1Rules(t *testing.T) {
	forAll(t, 30, continuousScenes, func(s scene) error {
		const w = interval.Prec(300)
		base := pair.Product{{Pair: s.A.finite(), Count: 1}}
		mixed, ok := renyi.Moments(pair.Product{{Pair: pair.Mixed(s.Rate, base), Count: 1}, {Pair: s.B.finite(), Count: int64(s.K)}})
		if !ok {
			return fmt.Errorf("no moments")
		}
		for _, n := range []int{2, 5} {
			want := mul(add(sub(one, s.Rate), mul(s.Rate, s.A.moment(n))), powRat(s.B.moment(n), s.K))
			if err := refuteRat(w.Exp(mixed(s.Prec, ratInt(int64(n)))), want, "M(%d)", n); err != nil {
				return err
			}
		}
		return nil
	})
}

// Chourasia et al. 2024, Theorem 3.6: R_q(RR(ε)) ≤ R_q(N(ε, 1)‖N(0, 1)) = qε²/2 for q > 0, and at most ε.
func TestTheorem36RandomizedResponseBelowGaussian(t *testing.T) {
	g := generator[noise]{draw: func(r *rand.Rand) noise {
		return noise{X: maxRat(drawEps(r), rat("1/1000000")), Y: drawPositive(r, -3, 4), Count: int64(precisions[r.Intn(len(precisions))])}
	}}
	forAll(t, 100, g, func(c noise) error {
		p := interval.Prec(c.Count)
		rr := renyi.Of(pair.Product{{Pair: pair.Response{Eps: c.X, Delta: zero}, Count: 1}})
		gauss := renyi.Of(pair.Product{{Pair: pair.Gaussian{Mu2: mul(c.X, c.X)}, Count: 1}})
		alpha := renyi.At(c.Y)
		x, y := rr(p, alpha), gauss(p, alpha)
		if y.Less(x) == interval.True {
			return fmt.Errorf("R_%s of randomized response is at least %s, of the Gaussian at most %s", c.Y.RatString(), text(x.Lo()), text(y.Hi()))
		}
		if x.LessEqRat(c.X) == interval.False {
			return fmt.Errorf("R_%s = %s exceeds ε = %s", c.Y.RatString(), text(x.Lo()), c.X.RatString())
		}
		want := mul(mul(half, c.Y), mul(c.X, c.X))
		return refuteRat(y, want, "R_%s of the Gaussian", c.Y.RatString())
	})
}

// Chourasia et al. 2024, Lemma 4.4, and Zhu, Dong & Wang 2022, Theorem 27: if each second
// mechanism, chosen by the first one's outcome, is dominated by (P₂, Q₂), the joint pair is
// dominated by the product.
func TestLemma44AdaptiveComposition(t *testing.T) {
	forAll(t, 60, samplings, func(s sampling) error {
		var joint model
		p, q := s.B.p(), s.B.q()
		for x := range p {
			k := s.Contexts[x%len(s.Contexts)]
			px, qx := k.apply(s.A.p()), k.apply(s.A.q())
			for y := range px {
				joint.P, joint.Q = append(joint.P, mul(p[x], px[y])), append(joint.Q, mul(q[x], qx[y]))
			}
		}
		prod := pair.Product{{Pair: s.B.finite(), Count: 1}, {Pair: s.A.finite(), Count: 1}}
		os, rest, ok := pair.ProductOutcomes(prod, s.Prec, 1000)
		if !ok {
			return fmt.Errorf("not enumerated")
		}
		for _, alpha := range alphas(joint) {
			if y := sumOutcomes(os, rest, ratInterval(alpha, alpha)); y.LessRat(joint.delta(alpha)) == interval.True {
				return fmt.Errorf("H_%s of the product is at most %s, of the adaptive pair %s", alpha.RatString(), text(y.Hi()), joint.delta(alpha).RatString())
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Proposition 13, Theorem 17 and Lemmas 18, 33, 34 and 35, and Chourasia et al. 2024,
// (37), as certified inversion: the transform of a product of a Gaussian with finite pairs,
// infinite losses among them, or with Laplace noise, inverts to a profile that meets the one
// that conditioning on the discrete factor gives, or a grid's.
func TestProposition13Transforms(t *testing.T) {
	g := generator[scene]{
		draw: func(r *rand.Rand) scene {
			s := scenes.draw(r)
			s.Rate = []*big.Rat{rat("1/4"), one, rat("1/100"), two}[r.Intn(4)] // μ²
			s.Prec = []interval.Prec{8, 53, 96}[r.Intn(3)]
			return s
		},
		shrink: func(s scene) []scene {
			var out []scene
			for _, a := range shrinkModel(s.A) {
				out = append(out, scene{a, s.B, s.Rate, s.K, s.Prec})
			}
			return out
		},
	}
	forAll(t, 5, g, func(s scene) error {
		gauss := pair.Term{Pair: pair.Gaussian{Mu2: s.Rate}, Count: 2}
		tails, _ := closed.PairTails(pair.Gaussian{Mu2: mul(two, s.Rate)})
		base := func(_ context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
			return tails.Delta(p, eps), nil
		}
		conditioned := func(discrete pair.Product) (profile.Func, error) {
			os, rest, ok := pair.ProductOutcomes(discrete, 128, 1000)
			if !ok {
				return nil, fmt.Errorf("not enumerated")
			}
			return profile.Times(base, os, rest), nil
		}
		finite := pair.Product{{Pair: s.A.finite(), Count: int64(s.K)}}
		for _, discrete := range []pair.Product{finite, finite.Reverse()} {
			x, ok := (*inversion.Memo)(nil).New(append(pair.Product{gauss}, discrete...))
			if !ok {
				if s.A.finite().Inf().Cmp(one) == 0 {
					continue // every loss is infinite
				}
				return fmt.Errorf("no transform")
			}
			f, err := conditioned(discrete)
			if err != nil {
				return err
			}
			for _, eps := range rats("0", "1", "-1/3") {
				a, err := x.Delta(background, s.Prec, interval.RealRat(eps))
				if err != nil {
					return err
				}
				b, err := f(background, 64, interval.RealRat(eps))
				if err != nil {
					return err
				}
				if err := disjoint(a, b, "δ(%s) of %s, inverted and conditioned", eps.RatString(), discrete); err != nil {
					return err
				}
			}
		}
		laplace := pair.Product{gauss, {Pair: pair.Laplace{Shift: s.Rate}, Count: 1}}
		x, ok := (*inversion.Memo)(nil).New(laplace)
		if !ok {
			return fmt.Errorf("no transform of %s", laplace)
		}
		grid, ok, err := pld.NewGrid(background, laplace, pld.Settings{Points: 100, Prec: 61, Cut: 40, Limit: 1 << 14})
		if err != nil || !ok {
			return fmt.Errorf("no grid: %v", err)
		}
		for _, eps := range rats("1/2", "-1") {
			a, err := x.Delta(background, s.Prec, interval.RealRat(eps))
			if err != nil {
				return err
			}
			b, err := grid.Delta(background, 64, interval.RealRat(eps))
			if err != nil {
				return err
			}
			if err := disjoint(a, b, "δ(%s) of %s, inverted and on a grid", eps.RatString(), laplace); err != nil {
				return err
			}
		}
		return nil
	})
}

// Zhu, Dong & Wang 2022, Lemma 40, Corollary 41 and Theorem 44 with masses of cells that are
// differences of distribution functions: pairs of cells, and products of them, bound δ from
// below as they are and from above with the cell's greatest ratio, tails counted as infinite
// loss; k tails for k copies.
func TestCorollary41CellMasses(t *testing.T) {
	forAll(t, 6, noises(2), func(c noise) error {
		n := []int64{0, 60, 24, 8}[c.Count]
		var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: quo(one, c.X)}
		l := gaussianLine(c.X, n)
		if c.Kind == 1 {
			e, l = mechanism.Laplace{NoiseMultiplier: quo(one, c.X)}, laplaceLine(c.X, n)
		}
		y, err := frontDoor(mechanism.SelfComposed{Event: e, Count: c.Count}, mechanism.Remove, mechanism.AddOrRemoveOne, c.Eps)
		if err != nil {
			return err
		}
		// Each cell's loss at its greatest: (a, a·e^−l₁) in place of (a, b).
		lower, _ := l.bounds()
		var upper cellPair
		const w = cellBits
		for i, cell := range lower {
			if i == 0 || i >= len(l.points) {
				upper.add(cell.p, interval.Int(0))
				continue
			}
			_, x0, _ := l.loss(l.points[i-1])
			x1, _, _ := l.loss(l.points[i])
			upper.add(cell.p, w.Mul(cell.p, w.Exp(interval.Max(x0, x1).Neg())))
		}
		lo, hi := lower, upper
		for range c.Count - 1 {
			lo, hi = lo.times(lower), hi.times(upper)
		}
		return between(y, lo, hi, c.Eps, one)
	})
}
