package closed

import (
	"context"
	"math/big"
	"testing"

	"dpverify/exact/interval"
)

// TestLaplaceSumByPartialSums: the sum over the atoms above ε is the one over all atoms, whose
// parts beyond the largest loss cancel, at every number of densities.
func TestLaplaceSumByPartialSums(t *testing.T) {
	for _, c := range []struct {
		k     int64
		shift string
	}{{1, "1/3"}, {2, "1"}, {3, "2/7"}, {6, "1/10"}, {9, "5"}, {24, "1/10"}} {
		x := rat(c.shift)
		for _, few := range []int64{1, 2, 3, c.k, c.k + 1} {
			if few > c.k+1 {
				continue
			}
			for _, part := range []string{"-2", "-1", "-1/3", "0", "1/50", "1/3", "1/2", "9/10", "999/1000", "1"} {
				eps := new(big.Rat).Mul(rat(part), new(big.Rat).Mul(x, new(big.Rat).SetInt64(c.k)))
				z, err2 := slowLaplaceSum(t.Context(), 500, x, c.k, few, interval.Prec(500).Rat(eps))
				for _, w := range []interval.Prec{4, 64, 400} {
					y, err := laplaceSum(t.Context(), w, x, c.k, few, w.Rat(eps))
					if _, ok := interval.Intersect(y, z); err != nil || err2 != nil || !ok {
						t.Fatalf("k = %d, x = %s, c < %d: δ(%s) in %s with %d bits, slowly %s", c.k, c.shift, few, eps.RatString(), y, w, z)
					}
					if w == 400 && z.Lo().Sign() > 0 && y.RelativeBits(400) < 200 {
						t.Errorf("k = %d, x = %s, c < %d: δ(%s) has %d bits", c.k, c.shift, few, eps.RatString(), y.RelativeBits(400))
					}
				}
			}
		}
	}
}

// TestSinhTails: T_1 … T_n against their series, for small and for large arguments, and wide
// intervals of them.
func TestSinhTails(t *testing.T) {
	const q, head = interval.Prec(300), 700
	for _, at := range []string{"1/1000000", "1/3", "1", "7/2", "9999/1000", "10", "63", "64", "65", "200"} {
		x, term := q.Rat(rat(at)), one
		var terms [head]interval.Interval
		for m := range terms {
			terms[m] = term
			term = q.Div(q.Mul(term, x), interval.Int(int64(m+1)))
		}
		rest := interval.Union(zero, q.Scale(term, 1)) // as 200 < 700/2
		for i := range 64 {
			want := rest
			for m := head - 1; m > i; m-- {
				if (m-i)%2 == 1 {
					want = q.Add(want, terms[m])
				}
			}
			for _, n := range []int{i + 1, i + 2, 64} {
				for _, w := range []interval.Prec{2, 3, 8, 64, 200} {
					if w != 8 && i%9 > 1 {
						continue
					}
					got := sinhTails(w, w.Rat(rat(at)), n)[i+1]
					if _, ok := interval.Intersect(got, want); !ok {
						t.Fatalf("T_%d(%s) = %s with %d bits of %d tails, want %s", i+1, at, got, w, n, want)
					}
					if w == 200 && got.RelativeBits(200) < 150 {
						t.Errorf("T_%d(%s) of %d tails has %d bits", i+1, at, n, got.RelativeBits(200))
					}
				}
			}
		}
	}
	for _, v := range []interval.Interval{interval.Union(interval.Prec(64).Rat(rat("1e-9")), one), interval.Union(one, interval.Int(100)), interval.Union(interval.Int(3), interval.Int(4))} {
		wide := sinhTails(64, v, 3)
		for _, end := range []interval.Interval{interval.Point(v.Lo()), interval.Point(v.Hi())} {
			for i, x := range sinhTails(64, end, 3)[1:4] {
				if _, ok := interval.Intersect(x, wide[i+1]); !ok {
					t.Errorf("T_%d(%s) = %s, want %s in it", i+1, v, wide[i+1], x)
				}
			}
		}
	}
}

// laplaceState is what is carried along c for one m.
type laplaceState struct {
	scaleR, scaleS interval.Interval // e^(τ/2) and e^(ε−τ/2)
	lower, upper   partialSums       // at u and at U
}

// partialSums of R and S: the sums without their factors e^(±y), and the last
// term y^(c−1)/(c−1)!.
type partialSums struct {
	y, ey, emy interval.Interval
	r, s, term interval.Interval
}

func newPartialSums(w interval.Prec, y interval.Interval) partialSums {
	return partialSums{y: y, ey: w.Exp(y), emy: w.Exp(y.Neg()), r: one, s: one, term: one}
}

// next goes from c to c+1.
func (p *partialSums) next(w interval.Prec, c int64) {
	p.term = w.Div(w.Mul(p.term, p.y), interval.Int(c))
	p.s = w.Add(p.s, p.term)
	if c&1 == 1 {
		p.r = w.Sub(p.r, p.term)
	} else {
		p.r = w.Add(p.r, p.term)
	}
}

// slowLaplaceSum is laplaceSum by the transform of the tilted measure.
//
// The transform ∫ e^(−ts) dν is e^(xs) + e^(−xs) + (e^(xs) − e^(−xs))/(2s). In its k-th
// power, the term with c densities and k − c pairs of atoms is, with z = e^(−2xs),
// e^(kxs)·(1 + z)^(k−c)·(1 − z)^c/(2s)^c = Σ_m K_m(c)·e^(−τ_m s)/(2s)^c, where τ_m = (2m − k)x
// and K_m(c) = [z^m](1−z)^c(1+z)^(k−c). These are atoms at τ_m for c = 0, and for c ≥ 1
// the functions 2^−c·(t − τ_m)₊^(c−1)/(c−1)!, whose sum over m vanishes beyond kx.
// Integrating each up to kx,
//
//	δ_k(ε) = e^(−kx/2)·2^−k·Σ_c C(k,c)·2^−c·Σ_m K_m(c)·J_{c,m},
//	J_{0,m} = (e^(τ/2) − e^(ε−τ/2))₊,
//	J_{c,m} = ∫_lo^{kx} (t−τ)^(c−1)/(c−1)!·(e^(t/2) − e^(ε−t/2)) dt, lo = max(ε, τ),
//
// and with y = (t − τ)/2, ∫ y^(c−1)/(c−1)!·e^(±y) dy in terms of
//
//	R_c(y) = e^y·Σ_{i<c}(−y)^i/i!,   S_c(y) = e^(−y)·Σ_{i<c} y^i/i!,
//	J_{c,m} = 2^c·{ (−1)^(c−1)·e^(τ/2)·[R_c(U) − R_c(u)] − e^(ε−τ/2)·[S_c(u) − S_c(U)] },
//	u = (lo − τ)/2, U = (kx − τ)/2.
func slowLaplaceSum(ctx context.Context, w interval.Prec, shift *big.Rat, k, few int64, e interval.Interval) (interval.Interval, error) {
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
	states := make([]laplaceState, k+1)
	sum := zero          // over c of C(k,c)·Σ_m K_m(c)·J_{c,m}/2^c
	kraw := binomials(k) // K_m(0) = C(k, m)
	for m := range states {
		tau := w.Mul(interval.Int(2*int64(m)-k), x)
		st := &states[m]
		st.scaleR = w.Exp(w.Scale(tau, -1))
		st.scaleS = w.Exp(w.Sub(e, w.Scale(tau, -1)))
		j := interval.Max(zero, w.Sub(st.scaleR, st.scaleS))
		sum = w.Add(sum, w.Mul(w.BigInt(kraw[m]), j))
		lo := interval.Max(e, tau)
		st.lower = newPartialSums(w, w.Scale(w.Sub(lo, tau), -1).AtLeastZero())
		st.upper = newPartialSums(w, w.Scale(w.Sub(kx, tau), -1).AtLeastZero())
	}
	choose := big.NewInt(1)
	for c := int64(1); c < few; c++ {
		if err := ctx.Err(); err != nil {
			return unit, err
		}
		choose.Mul(choose, big.NewInt(k-c+1))
		choose.Quo(choose, big.NewInt(c))
		krawtchoukStep(kraw)
		row := zero
		for m := range states {
			st := &states[m]
			if kraw[m].Sign() != 0 {
				r := w.Sub(w.Mul(st.upper.ey, st.upper.r), w.Mul(st.lower.ey, st.lower.r))
				s := w.Sub(w.Mul(st.lower.emy, st.lower.s), w.Mul(st.upper.emy, st.upper.s))
				j := w.Mul(st.scaleR, r)
				if c&1 == 0 {
					j = j.Neg()
				}
				j = w.Sub(j, w.Mul(st.scaleS, s))
				row = w.Add(row, w.Mul(w.BigInt(kraw[m]), j))
			}
			st.lower.next(w, c)
			st.upper.next(w, c)
		}
		sum = w.Add(sum, w.Mul(w.BigInt(choose), row))
	}
	d := w.Mul(sum, w.Exp(w.Scale(kx, -1).Neg()))
	d = w.Scale(d, int(-k))
	z, ok := interval.Intersect(d, unit)
	if !ok {
		panic("closed: internal error: LaplaceSum outside [0, 1]")
	}
	return z, nil
}

// binomials returns C(k, m) for m = 0 … k.
func binomials(k int64) []*big.Int {
	out := make([]*big.Int, k+1)
	for m := range out {
		out[m] = new(big.Int).Binomial(k, int64(m))
	}
	return out
}

// krawtchoukStep turns the coefficients of (1−z)^c(1+z)^(k−c) into those for c+1, by
// an exact division by 1 + z and a multiplication by 1 − z: with a = b·(1 + z), b_m =
// a_m − b_{m−1}, and the new coefficient is b_m − b_{m−1}.
func krawtchoukStep(a []*big.Int) {
	prev := new(big.Int) // b_{m−1}
	for _, x := range a {
		b := new(big.Int).Sub(x, prev)
		x.Sub(b, prev)
		prev = b
	}
}
