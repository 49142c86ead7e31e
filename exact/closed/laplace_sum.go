package closed

import (
	"context"
	"math/big"

	"dpverify/exact/interval"
)

// MaxLaplaceTerms bounds k in LaplaceSum, whose cost grows as k².
const MaxLaplaceTerms = 200

// LaplaceSum returns the privacy profile of k copies of (Lap(x, 1), Lap(0, 1)),
// x = shift > 0, 1 ≤ k ≤ MaxLaplaceTerms, as a finite sum.
//
// Derivation. The loss L of one copy has under P an atom 1/2 at x, an atom e^(−x)/2
// at −x and the density e^((l−x)/2)/4 between. Multiplied by e^(−L/2) this is
// e^(−x/2)/2 times a symmetric measure ν: unit atoms at ±x and the density 1/2 on
// (−x, x). So
//
//	δ_k(ε) = e^(−kx/2)·2^−k·∫ g dν^{*k},  g(t) = (e^(t/2) − e^(ε−t/2))₊ = 2e^(ε/2)·sinh(v₊),  v = (t − ε)/2.
//
// With E the shift of a function by x, the atoms of ν take g to (E + E^−1)g at 0, and its
// density to (E − E^−1)/2 of the antiderivative of g that vanishes below ε. c antiderivatives
// of g are 2^c·2e^(ε/2)·T_{c+1}(v₊), where
//
//	T_n(v) = v^n/n! + v^(n+2)/(n+2)! + …,  T_1 = sinh,
//
// is the derivative of T_{n+1}. So the terms with c densities and k − c atoms are
// (E + E^−1)^(k−c)·(E − E^−1)^c of 2e^(ε/2)·T_{c+1}(v₊) at 0, and as E^(k−2j) takes t to τ_j = (k − 2j)x,
//
//	δ_k(ε) = 2e^((ε−kx)/2)·2^−k·Σ_j Σ_c C(k,c)·κ_j(c)·T_{c+1}((τ_j − ε)₊/2),
//
// κ_j(c) = [z^j](1+z)^(k−c)(1−z)^c. Only the τ_j above ε count. The sum over j alternates
// and loses one to two bits per copy, which Refine restores. The cost is O(k²) operations.
func LaplaceSum(ctx context.Context, p interval.Prec, shift *big.Rat, k int64, eps interval.Real) (interval.Interval, error) {
	return LaplaceSumFew(ctx, p, shift, k, k+1, eps)
}

// LaplaceSumFew returns the terms of LaplaceSum with fewer than few densities, c < few: what
// the outcomes with at most few − 1 losses other than ±x add to the profile. Its cost
// grows as k·few, and k may be larger than MaxLaplaceTerms.
//
// Requires: 1 ≤ few ≤ k + 1.
func LaplaceSumFew(ctx context.Context, p interval.Prec, shift *big.Rat, k, few int64, eps interval.Real) (interval.Interval, error) {
	var err error
	y := p.Refine(p+interval.Prec(2*few)+64, limit(p)+interval.Prec(8*k), func(w interval.Prec) interval.Interval {
		z, e := laplaceSum(ctx, w, shift, k, few, eps(w))
		if e != nil {
			err = e
		}
		return z
	})
	return y, err
}

func laplaceSum(ctx context.Context, w interval.Prec, shift *big.Rat, k, few int64, e interval.Interval) (interval.Interval, error) {
	x := w.Rat(shift)
	kx := w.Mul(interval.Int(k), x)
	unit := interval.Union(zero, one)
	if e.Less(kx) == interval.Unknown {
		// ε is next to the largest loss kx; no loss L ≤ kx weighs more than 1 − e^(ε−kx).
		return interval.Max(zero, w.Expm1(w.Sub(e, kx)).Neg()), nil
	}
	if e.Less(kx) == interval.False {
		return zero, nil
	}
	sum := zero
	a := newKrawtchouk(k, few)
	for j := int64(0); j <= k; j++ {
		if err := ctx.Err(); err != nil {
			return unit, err
		}
		v := w.Scale(w.Sub(w.Mul(interval.Int(k-2*j), x), e), -1)
		if v.Hi().Sign() <= 0 {
			break // and so are all that follow
		}
		v = interval.Max(v, zero)
		t := sinhTails(w, v, int(few))
		for c := range few {
			sum = w.Add(sum, w.Mul(w.BigInt(a.now[c]), t[c+1]))
		}
		a.next()
	}
	d := w.Mul(sum, w.Exp(w.Scale(w.Sub(e, kx), -1)))
	d = w.Scale(d, int(1-k))
	z, ok := interval.Intersect(d, unit)
	if !ok {
		panic("closed: internal error: LaplaceSum outside [0, 1]")
	}
	return z, nil
}

// krawtchouk holds C(k,c)·κ_j(c) and the same for j − 1, for one j and all c < few.
type krawtchouk struct {
	k, j      int64
	now, last []*big.Int
}

// newKrawtchouk starts at j = 0, where κ is 1, and 0 before.
func newKrawtchouk(k, few int64) *krawtchouk {
	a := &krawtchouk{k: k}
	for c := range few {
		a.now = append(a.now, new(big.Int).Binomial(k, c))
		a.last = append(a.last, new(big.Int))
	}
	return a
}

// next goes from j to j + 1: as f = (1+z)^(k−c)(1−z)^c has (1 − z²)f′ = (k − 2c − kz)f,
//
//	(j + 1)·κ_{j+1} = (k − 2c)·κ_j − (k − j + 1)·κ_{j−1}.
func (a *krawtchouk) next() {
	for c, now := range a.now {
		x := a.last[c]
		x.Mul(x, big.NewInt(a.j-1-a.k))
		x.Add(x, new(big.Int).Mul(now, big.NewInt(a.k-2*int64(c))))
		x.Quo(x, big.NewInt(a.j+1))
		a.now[c], a.last[c] = x, now
	}
	a.j++
}

// sinhTails returns T_1(v) … T_n(v) at their indices, for v ≥ 0 that is not 0, and n ≥ 1. For large v they
// are what the first terms leave of sinh and cosh, of which that is a good part; for small v, T_n
// and T_{n+1} are summed, and the others from them down.
func sinhTails(w interval.Prec, v interval.Interval, n int) []interval.Interval {
	t := make([]interval.Interval, n+2)
	if v.Less(interval.Int(int64(n))) == interval.False {
		up, down := w.Exp(v), w.Exp(v.Neg())
		t[1] = w.Scale(w.Sub(up, down), -1)
		t[2] = w.Sub(w.Scale(w.Add(up, down), -1), one)
		term := one
		for i := 1; i+2 < len(t); i++ {
			term = w.Div(w.Mul(term, v), interval.Int(int64(i)))
			t[i+2] = w.Sub(t[i], term)
		}
		return t
	}
	terms := make([]interval.Interval, n)
	term := one // v^i/i!
	for i := range terms {
		terms[i] = term
		term = w.Div(w.Mul(term, v), interval.Int(int64(i+1)))
	}
	t[n], t[n+1] = zero, zero
	first := term.Hi().MantExp(nil)
	i := n
	for ; v.Less(interval.Int(int64(i/2))) != interval.True || term.Hi().MantExp(nil) > first-int(w); i++ {
		at := n + (i-n)%2
		t[at] = w.Add(t[at], term)
		term = w.Div(w.Mul(term, v), interval.Int(int64(i+1)))
	}
	// v < i/2, so that from v^i/i! on each second term is less than a quarter of the one
	// before, and the rest is at most 4/3 of v^i/i! or, for the other parity, of half of that.
	rest := interval.Union(zero, w.Scale(term, 1))
	t[n], t[n+1] = w.Add(t[n], rest), w.Add(t[n+1], rest)
	for i := n - 1; i >= 1; i-- {
		t[i] = w.Add(t[i+2], terms[i])
	}
	return t
}
