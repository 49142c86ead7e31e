// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition

import (
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/definition/masses"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// TradeOffAtMost returns an upper bound of f(x), the least type II error of a test of P against Q whose type I error is
// at most x.
func TradeOffAtMost(p masses.Pair, x *big.Rat) *big.Rat {
	best := big.NewRat(1, 1)
	p.Tests(func(alpha, beta *big.Rat, mass, power *big.Rat) bool {
		if alpha.Cmp(x) > 0 {
			// The last outcome is rejected with a probability that leaves a type I error of x.
			share := new(big.Rat).Sub(x, new(big.Rat).Sub(alpha, mass))
			share.Quo(share, mass)
			beta = new(big.Rat).Add(beta, new(big.Rat).Sub(power, share.Mul(share, power)))
			if beta.Cmp(best) < 0 {
				best = beta
			}
			return false
		}
		best = beta
		return true
	})
	return best
}

// GaussianDPAtLeast returns a lower bound of the least μ with f(α) ≥ Φ(Φ⁻¹(1 − α) − μ) for all α in [least, 1 − least].
// It may be ∞.
func GaussianDPAtLeast(p masses.Pair, least *big.Rat) interval.Interval {
	unit := big.NewRat(1, 1)
	most := new(big.Rat).Sub(unit, least)
	quantile := func(x *big.Rat) float64 {
		f, _ := x.Float64()
		return math.Sqrt2 * math.Erfinv(2*f-1)
	}
	var bestAlpha, bestBeta *big.Rat
	greatest, infinite := 0.0, false
	p.Tests(func(alpha, beta, _, _ *big.Rat) bool {
		if alpha.Cmp(most) > 0 || infinite {
			return false
		}
		if alpha.Cmp(least) < 0 {
			alpha = least // a test with more errors
		}
		if beta.Cmp(unit) < 0 {
			if infinite = beta.Sign() <= 0; infinite {
				return false
			}
			if mu := quantile(new(big.Rat).Sub(unit, alpha)) - quantile(beta); mu > greatest {
				greatest, bestAlpha, bestBeta = mu, alpha, beta
			}
		}
		return true
	})
	switch {
	case infinite:
		return interval.PosInf()
	case bestAlpha == nil:
		return interval.Int(0)
	}
	z := masses.Working.NormalQuantile(masses.Working.Rat(new(big.Rat).Sub(unit, bestAlpha)))
	return masses.Working.Sub(z, masses.Working.NormalQuantile(masses.Working.Rat(bestBeta))).Lower()
}

// MomentAtLeast returns a lower bound of Σ P(y)^α·Q(y)^(1−α) for an integer α ≥ 2, which of exact masses is that
// rational number; nil where it is infinite.
func MomentAtLeast(p masses.Pair, alpha int64) *big.Rat {
	exact := isExact(p.P) && isExact(p.Q)
	total := new(big.Rat)
	n := big.NewInt(alpha)
	scale := new(big.Int).Exp(p.Q.Den(), big.NewInt(alpha-1), nil)
	unit := new(big.Int).Exp(p.P.Den(), n, nil)
	for i := range p.P.Len() {
		x, _ := p.P.At(i)
		_, y := p.Q.At(i)
		switch {
		case x.Sign() == 0:
			continue
		case y.Sign() == 0:
			return nil
		}
		top := new(big.Int).Exp(x, n, nil)
		top.Mul(top, scale)
		bottom := new(big.Int).Exp(y, big.NewInt(alpha-1), nil)
		bottom.Mul(bottom, unit)
		if !exact { // rounded down, as short as masses are
			top.Quo(top.Lsh(top, 2*masses.FineBits), bottom)
			bottom = new(big.Int).Lsh(big.NewInt(1), 2*masses.FineBits)
		}
		total.Add(total, new(big.Rat).SetFrac(top, bottom))
	}
	return total
}

// RenyiAtLeast returns a lower bound of the Rényi divergence R_α(P‖Q), α > 0: log Σ P^α·Q^(1−α)/(α − 1), at α = 1 Σ
// P·log(P/Q). It may be ∞.
func RenyiAtLeast(p masses.Pair, alpha *big.Rat) interval.Interval {
	order := alpha.Cmp(big.NewRat(1, 1))
	if order == 0 && !(isExact(p.P) && isExact(p.Q)) {
		return relativeEntropy(p).Lower()
	}
	if order > 0 && alpha.IsInt() && alpha.Num().BitLen() < 7 {
		m := MomentAtLeast(p, alpha.Num().Int64())
		if m == nil {
			return interval.PosInf()
		}
		if m.Sign() == 0 {
			return interval.Entire() // all masses are rounded away
		}
		less := new(big.Rat).Sub(alpha, big.NewRat(1, 1))
		return masses.Working.Div(masses.Working.Log(masses.Working.Rat(m)), masses.Working.Rat(less)).Lower()
	}
	xs, ys := make([]*big.Rat, max(p.P.Len(), p.Q.Len())), make([]*big.Rat, max(p.P.Len(), p.Q.Len()))
	for i := range xs {
		x, xh := p.P.Mass(i)
		_, y := p.Q.Mass(i)
		if order < 0 { // the sum is at most what it is for the greatest masses
			x = xh
		}
		xs[i], ys[i] = x, y
	}
	return masses.Renyi(masses.Working, xs, ys, alpha).Lower()
}

// RenyiAbout is R_α(P‖Q) in float64, of the least masses of P and the greatest of Q; α may be +∞. It bounds nothing: it
// tells which of many pairs are worth a look.
func RenyiAbout(p masses.Pair, alpha float64) float64 {
	xs, ys := make([]float64, max(p.P.Len(), p.Q.Len())), make([]float64, max(p.P.Len(), p.Q.Len()))
	for i := range xs {
		x, _ := p.P.At(i)
		_, y := p.Q.At(i)
		xs[i], ys[i] = quotient(x, p.P.Den()), quotient(y, p.Q.Den())
	}
	return masses.RenyiFloat(xs, ys, alpha)
}

// isExact reports that all masses of a law are known exactly.
func isExact(l masses.Law) bool {
	for i := range l.Len() {
		if lo, hi := l.At(i); lo != hi {
			return false
		}
	}
	return true
}

func quotient(x, den *big.Int) float64 {
	a, _ := new(big.Float).SetInt(x).Float64()
	b, _ := new(big.Float).SetInt(den).Float64()
	return a / b
}

// relativeEntropy returns Σ P·log(P/Q), from below: for P in [a, b] and the greatest Q it falls up to P = Q/e, and
// rises beyond.
func relativeEntropy(p masses.Pair) interval.Interval {
	total := interval.Int(0)
	for i := range p.P.Len() {
		x, xh := p.P.Mass(i)
		_, y := p.Q.Mass(i)
		if y.Sign() == 0 {
			if x.Sign() > 0 {
				return interval.PosInf()
			}
			continue
		}
		term := func(x *big.Rat) interval.Interval {
			if x.Sign() == 0 {
				return interval.Int(0)
			}
			return masses.Working.Mul(masses.Working.Rat(x), masses.Working.Sub(masses.Working.Log(masses.Working.Rat(x)), masses.Working.Log(masses.Working.Rat(y))))
		}
		least := interval.Min(term(x), term(xh))
		valley := masses.Working.Div(masses.Working.Rat(y), masses.Working.Exp(interval.Int(1)))
		if x.Cmp(xh) != 0 && valley.LessRat(x) != interval.True && valley.LessEqRat(xh) != interval.False {
			least = interval.Min(least, valley.Neg())
		}
		total = masses.Working.Add(total, least)
	}
	return total
}

// drawnMasses are a random distribution, some of it without mass.
func drawnMasses(r *rand.Rand, n int) []*big.Rat {
	weights, total := make([]int64, n), int64(1)
	weights[r.Intn(n)] = 1
	for i := range weights {
		if x := r.Int63n(5); r.Intn(4) > 0 {
			weights[i] += x
			total += x
		}
	}
	out := make([]*big.Rat, n)
	for i, w := range weights {
		out[i] = big.NewRat(w, total)
	}
	return out
}

// TestQuantitiesOfAllSets: δ is the best of all sets of outcomes, and the trade-off function that of all of them with
// one outcome in part; divergences are as float64 has them.
func TestQuantitiesOfAllSets(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Cases(200, 5000) {
		n := 2 + r.Intn(3)
		p, q := drawnMasses(r, n), drawnMasses(r, n)
		pair := masses.Pair{P: masses.Exactly(p), Q: masses.Exactly(q)}
		alpha := big.NewRat(r.Int63n(21), 20)
		best, error2 := new(big.Rat), big.NewRat(1, 1)
		for set := range 1 << n {
			ps, qs := new(big.Rat), new(big.Rat)
			for i := range n {
				if set>>i&1 == 1 {
					ps.Add(ps, p[i])
					qs.Add(qs, q[i])
				}
			}
			if d := new(big.Rat).Sub(ps, qs); d.Cmp(best) > 0 {
				best = d
			}
			// The set rejects P, and another outcome does with a probability x.
			for i := range n {
				room := new(big.Rat).Sub(alpha, ps)
				if set>>i&1 == 1 || room.Sign() < 0 {
					continue
				}
				x := big.NewRat(1, 1)
				if p[i].Cmp(room) > 0 {
					x.Quo(room, p[i])
				}
				beta := new(big.Rat).Sub(big.NewRat(1, 1), qs)
				if beta.Sub(beta, x.Mul(x, q[i])); beta.Cmp(error2) < 0 {
					error2 = beta
				}
			}
		}
		if got := pair.DeltaAtLeast(new(big.Rat)); got.Cmp(best) != 0 {
			t.Fatalf("δ of %v and %v is %v, want %v", p, q, got, best)
		}
		if got := TradeOffAtMost(pair, alpha); got.Cmp(error2) != 0 {
			t.Fatalf("f(%v) of %v and %v is %v, want %v", alpha, p, q, got, error2)
		}
		for _, order := range []string{"1/2", "1", "3/2", "2", "5"} {
			a, _ := rat(order).Float64()
			want := masses.RenyiFloat(masses.Floats(p), masses.Floats(q), a)
			got, _ := RenyiAtLeast(pair, rat(order)).Lo().Float64()
			if got != want && !(math.Abs(got-want) < 1e-9*(1+want)) {
				t.Fatalf("R_%s of %v and %v is %v, want %v", order, p, q, got, want)
			}
		}
	}
}

// TestBoundsAreOnTheirSides: of masses that are known up to something, each quantity is at most as great as for any
// masses between.
func TestBoundsAreOnTheirSides(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range testkit.Draws(40, 100, 2000) {
		n := 2 + r.Intn(3)
		p, q := masses.Exactly(drawnMasses(r, n)), masses.Exactly(drawnMasses(r, n))
		sharp := masses.Pair{P: p, Q: q}
		wide := masses.Pair{P: widened(r, p), Q: widened(r, q)}
		alpha := rat("1/4")
		if wide.DeltaAtLeast(rat("1/2")).Cmp(sharp.DeltaAtLeast(rat("1/2"))) > 0 || TradeOffAtMost(wide, alpha).Cmp(TradeOffAtMost(sharp, alpha)) < 0 {
			t.Fatalf("wider masses have more loss: %v and %v", sharp, wide)
		}
		for _, order := range []string{"1/2", "1", "3/2", "3"} {
			if RenyiAtLeast(wide, rat(order)).Lo().Cmp(RenyiAtLeast(sharp, rat(order)).Hi()) > 0 {
				a, b := RenyiAtLeast(wide, rat(order)), RenyiAtLeast(sharp, rat(order))
				if x, _ := a.Lo().Float64(); !math.IsInf(x, 1) && x > 1e-30 {
					t.Fatalf("wider masses have more loss of order %s: %v and %v", order, a, b)
				}
			}
		}
		if GaussianDPAtLeast(wide, rat("1/10")).Lo().Cmp(GaussianDPAtLeast(sharp, rat("1/10")).Hi()) > 0 {
			t.Fatalf("wider masses have a greater μ: %v and %v", sharp, wide)
		}
	}
}

// widened has bounds of masses in place of them.
func widened(r *rand.Rand, l masses.Law) masses.Law {
	var s masses.Sum
	for i := range l.Len() {
		x, _ := l.At(i)
		lo := new(big.Int).Mul(x, big.NewInt(100))
		hi := new(big.Int).Set(lo)
		if x.Sign() > 0 {
			lo.Sub(lo, big.NewInt(r.Int63n(50)))
			hi.Add(hi, big.NewInt(r.Int63n(50)))
		}
		s.Put(i, lo, hi, new(big.Int).Mul(l.Den(), big.NewInt(100)))
	}
	return s.Law()
}

// TestGaussianDPByHand: the best test of two coins.
func TestGaussianDPByHand(t *testing.T) {
	p := masses.Pair{P: masses.Exactly([]*big.Rat{rat("3/4"), rat("1/4")}), Q: masses.Exactly([]*big.Rat{rat("1/4"), rat("3/4")})}
	// f(1/4) = 1/4: μ = 2·Φ⁻¹(3/4).
	if got, _ := GaussianDPAtLeast(p, rat("1/10")).Lo().Float64(); math.Abs(got-2*0.6744897501960817) > 1e-12 {
		t.Errorf("μ = %v", got)
	}
	apart := masses.Pair{P: masses.Exactly([]*big.Rat{rat("1"), rat("0")}), Q: masses.Exactly([]*big.Rat{rat("0"), rat("1")})}
	if got := GaussianDPAtLeast(apart, rat("1/10")); !got.Lo().IsInf() {
		t.Errorf("of two coins that always differ μ = %v", got)
	}
}
