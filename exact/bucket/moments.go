// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"math/big"

	"dpverify/exact/interval"
)

// Renyi returns an enclosure of the Rényi divergence of A from B of an order α > 1
// (§5.7), that is of
//
//	D_α = log(Σ_x P_A(x)·e^((α−1)L(x)))/(α − 1),
//
// which is ∞ if P_A-mass has L = ∞.
//
// From above, L ≤ ιη by (L), so that the sum is at most Σ_i B(i)·f^((α−1)i), the paper's
// formula, if bucket ∞ is empty; what B lacks to 1 counts as of bucket top. If there may be
// mass in bucket ∞ the upper end is ∞, and the paper's formula no bound.
//
// From below, Σ_{ι=i} P_A^α·P_B^(1−α) ≥ (ΣP_A)^α·(ΣP_B)^(1−α) by Hölder's inequality, hence the
// sum is at least Σ_i B(i)·(B(i)/V(i))^(α−1), over both parts of bucket ∞ too: it rises in
// B and falls in V. This is not in the paper. And D_α ≥ 0. Where D_α is surely ∞, the lower
// end is a huge number.
//
// Rounding: outward, to p bits.
func (t *Tree) Renyi(p interval.Prec, order *big.Rat) interval.Interval {
	power := lessOne(order)
	w := p + 64
	divergence := func(logMoment interval.Interval) interval.Interval {
		d := p.Round(w.Div(logMoment, w.Rat(power)))
		return interval.Max(d, interval.Int(0))
	}
	lo := divergence(w.Log(t.momentBelow(w, power)))
	hi := interval.Entire()
	if !t.open {
		hi = divergence(t.logMomentAbove(w, power))
	}
	return interval.Bounds(lo.Lo(), hi.Hi())
}

// lessOne returns α − 1 of an order α > 1.
func lessOne(order *big.Rat) *big.Rat {
	power := new(big.Rat).Sub(order, big.NewRat(1, 1))
	if power.Sign() <= 0 {
		panic("bucket: internal error: Rényi divergence of order " + order.RatString())
	}
	return power
}

// logMomentAbove bounds log E_A[e^(sL)] from above, s > 0.
//
// Requires: no P_A-mass above bucket top.
func (t *Tree) logMomentAbove(w interval.Prec, s *big.Rat) interval.Interval {
	step := new(big.Rat).Mul(s, t.eta)
	lack := new(big.Int).Sub(one(t.Prec()), t.b.v.Sum())
	// Σ B(i)·e^((i−top)·sη) + lack, times e^(top·sη)
	last := min(t.b.last(), t.top)
	sum := w.Mul(t.b.discounted(step, -t.n, last+1, -1), w.Exp(w.Rat(times(last-t.top, step))))
	sum = w.Scale(w.Add(sum, w.BigInt(lack)), -int(t.Prec()))
	return w.Add(w.Log(sum), w.Rat(times(t.top, step)))
}

// momentBelow bounds E_A[e^(sL)] from below, s > 0; 0 where nothing is known.
func (t *Tree) momentBelow(w interval.Prec, s *big.Rat) interval.Interval {
	sum, exponent := interval.Int(0), w.Rat(s)
	add := func(a, b *big.Int) {
		switch x := w.BigInt(a); {
		case a.Sign() == 0:
		case b.Sign() == 0: // the loss is ∞
			sum = w.Add(sum, w.Exp(interval.Int(1<<40)))
		default:
			sum = w.Add(sum, w.Mul(x, w.Exp(w.Mul(exponent, w.Log(w.Div(x, w.BigInt(b)))))))
		}
	}
	add(t.far.a, t.far.b)
	add(t.over.a, t.over.b)
	if !t.blind {
		for i := t.b.first; i <= t.b.last(); i++ {
			add(t.b.at(i), t.v.at(i))
		}
	}
	return w.Scale(sum, -int(t.Prec()))
}

// PrintedRenyi encloses what §5.7 of the paper computes for the Rényi divergence of an order α > 1,
//
//	log(Σ_{−n≤i≤n} B(i)·f^((α−1)i))/(α − 1),
//
// whatever is in bucket ∞: "assuming sufficiently many buckets". Where bucket ∞ has mass it bounds nothing, see Renyi.
//
// Rounding: outward, to p bits.
func (t *Tree) PrintedRenyi(p interval.Prec, order *big.Rat) interval.Interval {
	power := lessOne(order)
	w := p + 64
	step := new(big.Rat).Mul(power, t.eta)
	last := min(t.b.last(), t.n)
	sum := w.Scale(t.b.discounted(step, -t.n, last+1, -1), -int(t.Prec()))
	log := w.Add(w.Log(sum), w.Rat(times(last, step)))
	return p.Round(w.Div(log, w.Rat(power)))
}
