// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// A member is a transform that a rule may stand for: weights and losses within its intervals, and an error within Err.
type member struct {
	weights, losses []float64
	off             float64 // what all values but the first are off by
}

// drawRule returns a rule and one of its members, at ends of its intervals.
func drawRule(r *rand.Rand, width float64) (q DoubleRule, m member) {
	q.Unit = interval.Int(int64(1 + r.Intn(3)))
	wide := r.Intn(2) // or losses are known
	for range 1 + r.Intn(7) {
		w, l := r.Float64(), (r.Float64()-0.3)*r.Float64()
		if r.Intn(3) == 0 {
			w, l = w/256, 8*l // a rare one
		}
		dw, dl := width*w*r.Float64(), float64(wide)*width*l*r.Float64()
		q.Weights = append(q.Weights, double.Point(w).Add(double.Interval{Lo: -dw, Hi: dw}))
		q.Losses = append(q.Losses, double.Union(double.Point(l+dl), double.Point(l-dl)))
		m.weights = append(m.weights, end(r, q.Weights[len(q.Weights)-1]))
		m.losses = append(m.losses, end(r, q.Losses[len(q.Losses)-1]))
	}
	q.Err = float64(wide) * width * r.Float64()
	m.off = q.Err * float64(r.Intn(3)-1)
	return q, m
}

func end(r *rand.Rand, x double.Interval) float64 {
	if r.Intn(2) == 0 {
		return x.Lo
	}
	return x.Hi
}

// at is M(−λ + ijh) of a member, in units.
func (m member) at(j int, h interval.Interval) interval.Complex {
	sign := double.Point(m.off).Exact()
	if j > 0 {
		sign = sign.Neg()
	}
	sum := interval.Complex{Re: sign}
	for k, w := range m.weights {
		turn := fine.Mul(fine.Mul(interval.Int(int64(-j)), h), double.Point(m.losses[k]).Exact())
		sum = fine.AddC(sum, fine.ScaleC(double.Point(w).Exact(), fine.ExpI(turn)))
	}
	return sum
}

// widths are of the intervals of rules: those of rounded numbers, and those of 2 to 20 bits.
var widths = []float64{0, 0x1p-50, 0x1p-40, 0x1p-20, 0x1p-8, 0x1p-2}

// TestRatiosBoundTheRule: numbers near M(−λ + ijh)/M(−λ) are within their bounds of those of any member of the rule, and
// rises within theirs.
func TestRatiosBoundTheRule(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	kept, near := 0, 0
	cases := testkit.Draws(130, 400, 400)
	for i := range cases {
		q, m := drawRule(r, widths[i%len(widths)])
		n := 1 + r.Intn(30)
		h := double.Point(float64(1+r.Intn(8)) / 8)
		first, rises, off := q.Rises(h, n)
		if rises == nil || !(q.AtZero().Lo > 0) {
			continue
		}
		kept++
		exactFirst := m.at(0, h.Exact())
		zs, bounds := q.Ratios(first, rises, off)
		for j, z := range zs {
			want := fine.DivC(m.at(j, h.Exact()), exactFirst)
			d := fine.AbsC(fine.SubC(want, interval.Complex{Re: double.Point(real(z)).Exact(), Im: double.Point(imag(z)).Exact()}))
			if d.Lo().Cmp(big.NewFloat(bounds[j])) > 0 {
				t.Fatalf("rule %d: ratio %d of %d is off by %v > %v", i, j, n, d, bounds[j])
			}
			if j == n && d.LessEq(double.Point(bounds[j]/8).Exact()) == interval.False {
				near++
			}
		}
	}
	if kept < cases/2 || near < cases/40 {
		t.Errorf("%d rules, of which %d came near to their bounds", kept, near)
	}
}

// TestRotationsAreBounded: with exact weights and losses all that is off is rounding and rotations, and both are bounded.
func TestRotationsAreBounded(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range testkit.Draws(8, 60, 60) {
		q, m := drawRule(r, 0)
		q.Losses[0] = double.Interval{Lo: q.Losses[0].Lo, Hi: q.Losses[0].Lo + 0x1p-30}
		m.losses[0] = q.Losses[0].Hi
		const n = 200
		h := double.Point(0.5)
		first, rises, off := q.Rises(h, n)
		if rises == nil {
			t.Fatal("no rises")
		}
		for j, v := range rises {
			want := fine.SubC(m.at(j, h.Exact()), m.at(0, h.Exact()))
			d := fine.AbsC(fine.SubC(want, interval.Complex{Re: double.Point(real(v)).Exact(), Im: double.Point(imag(v)).Exact()}))
			if bound := off.Sum + float64(j)*off.Step; d.Lo().Cmp(big.NewFloat(bound)) > 0 {
				t.Fatalf("rise %d of %d terms is off by %v > %v", j, len(q.Weights), d, bound)
			}
		}
		if s := double.Point(first).Sub(double.Point(0)); s.Lo <= 0 {
			t.Fatalf("the first is %v", first)
		}
	}
}

// TestSeriesOfProducts: a series encloses, with its distance, the one of any members of its rules.
func TestSeriesOfProducts(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	kept := 0
	cases := testkit.Draws(80, 240, 240)
	for i := range cases {
		n, h, lambda := 1+r.Intn(24), double.Point(float64(1+r.Intn(8))/8), big.NewRat(int64(1+r.Intn(9)), 4)
		p := NewProduct(h, n)
		exact := make([]interval.Complex, n+1)
		for j := range exact {
			exact[j].Re = one
		}
		ok := true
		for range 1 + r.Intn(3) {
			q, m := drawRule(r, widths[i%4])
			count := int64(1 + r.Intn(40))
			if i%8 == 0 {
				count *= 1000
			}
			ratio, known := q.Ratio(h, n)
			if ok = known && p.Times(ratio, count); !ok {
				break
			}
			for j := range exact {
				exact[j] = fine.MulC(exact[j], fine.PowIntC(fine.ScaleC(q.Unit, m.at(j, h.Exact())), count))
			}
		}
		if !ok {
			continue
		}
		var weights []double.Interval // of a taper, and how much is known of them
		for j := range exact {
			if i%3 > 0 {
				w := double.Interval{Lo: r.Float64()}
				w.Hi = w.Lo + float64(i%3-1)*r.Float64()
				weights = append(weights, w)
				exact[j] = fine.ScaleC(double.Point(w.Lo+(w.Hi-w.Lo)*float64(r.Intn(2))).Exact(), exact[j])
			}
		}
		s, distance, ok := p.Series(lambda, n, weights)
		if !ok {
			continue
		}
		kept++
		theta := fine.Rat(big.NewRat(int64(r.Intn(2000)-1000), 77))
		turn, known := Turn(fine.Div(theta, fine.Scale(fine.Pi(), 1)))
		if !known {
			t.Fatal("θ is not known")
		}
		sum := interval.Int(0)
		for j, z := range exact {
			at := interval.Complex{Re: fine.Rat(lambda).Neg(), Im: fine.Mul(interval.Int(int64(j)), h.Exact())}
			z = fine.DivC(z, fine.MulC(at, fine.SubC(at, interval.Complex{Re: one})))
			z = fine.MulC(z, fine.ExpI(fine.Mul(interval.Int(int64(j)), theta)))
			if j > 0 {
				z = fine.ScaleC(interval.Int(2), z)
			}
			sum = fine.Add(sum, z.Re)
		}
		e := fine.Mul(p.Base, distance)
		if y := fine.Add(s.At(turn), interval.Union(e.Neg(), e)); !y.Encloses(interval.Prec(60).Round(sum)) {
			if _, meet := interval.Intersect(y, sum); !meet {
				t.Fatalf("case %d: the series is in %v, want %v", i, y, sum)
			}
		}
	}
	if kept < 5*cases/12 {
		t.Errorf("%d series", kept)
	}
}

// TestTurns: a turn is within 2^−64 of what it stands for, up to an integer, and refused where that is not known.
func TestTurns(t *testing.T) {
	for _, x := range []string{"0", "1/3", "-1/3", "1000001/7", "-5/2", "1e-30"} {
		turn, ok := Turn(fine.Rat(rat(x)))
		if !ok {
			t.Fatalf("%s: refused", x)
		}
		d := new(big.Rat).Sub(rat(x), new(big.Rat).SetFrac(new(big.Int).SetUint64(turn), new(big.Int).Lsh(big.NewInt(1), 64)))
		whole := new(big.Rat).Add(d, big.NewRat(1, 2))
		k := new(big.Int).Div(whole.Num(), whole.Denom())
		d.Sub(d, new(big.Rat).SetInt(k)).Abs(d)
		if d.Cmp(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64))) > 0 {
			t.Errorf("%s: off by %v", x, d)
		}
	}
	for _, x := range []interval.Interval{interval.Union(interval.Int(0), one), interval.PosInf(), interval.Entire()} {
		if _, ok := Turn(x); ok {
			t.Errorf("%v has a turn", x)
		}
	}
	if _, _, ok := NewProduct(double.Point(0x1p300), 2).Series(big.NewRat(1, 2), 2, nil); ok {
		t.Error("a series of steps that overflow")
	}
}
