// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fixed

import (
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/fraction"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// anyReal returns enclosures of all kinds, with exponents near those given.
func anyReal(r *rand.Rand, exp int) Real {
	err := uint64(0)
	switch r.Intn(6) {
	case 0:
		err = testkit.Word(r) >> 2
	case 1, 2, 3:
		err = r.Uint64() >> (2 + r.Intn(62))
	}
	m := anyFrac(r)
	switch r.Intn(8) {
	case 0:
		m = m.Shr(uint(r.Intn(193)))
	case 1:
		m = frac{Hi: 1 << 63}
	case 2:
		return Int(int64(r.Intn(9) - 4))
	}
	return pack(r.Intn(2) == 0, m, err, exp+r.Intn(9)-4)
}

// members returns numbers enclosed by x: its ends, its middle, and one more.
func members(r *rand.Rand, x Real) []*big.Rat {
	lo, hi, ok := x.Interval().Rationals()
	if !ok {
		panic("unbounded")
	}
	mid := new(big.Rat).Add(lo, hi)
	mid.Mul(mid, big.NewRat(1, 2))
	d := new(big.Rat).Sub(hi, lo)
	d.Mul(d, big.NewRat(r.Int63(), 1<<62))
	return []*big.Rat{lo, hi, mid, d.Mul(d, big.NewRat(1, 2)).Add(d, lo)}
}

// contains reports that y encloses q.
func contains(y Real, q *big.Rat) bool {
	if !y.Known() {
		return true
	}
	lo, hi, ok := y.Interval().Rationals()
	return ok && lo.Cmp(q) <= 0 && q.Cmp(hi) <= 0
}

// valid checks the invariants of a Real.
func valid(t *testing.T, x Real) {
	t.Helper()
	if !x.Known() {
		return
	}
	if x.exp() > maxExp || x.exp() < -maxExp || x.m.Hi>>63 == 0 && x.err() <= longest>>3 && !x.isZero() {
		t.Fatalf("%+v breaks the invariants of a Real", x)
	}
}

// TestArithmeticEncloses: sums, differences, products and quotients of members are enclosed.
func TestArithmeticEncloses(t *testing.T) {
	w := Three{}
	r := rand.New(rand.NewSource(1))
	known := 0
	for range points(800) {
		x, y := anyReal(r, 0), anyReal(r, []int{0, 3, 64, 130, 191, 192, 250}[r.Intn(7)]*(1-2*r.Intn(2)))
		if r.Intn(8) == 0 { // sums that cancel
			y = pack(!x.neg(), fraction.Add(x.m, frac{Lo: testkit.Word(r)}), x.err(), x.exp())
		}
		valid(t, x)
		type op struct {
			name string
			got  Real
			f    func(z, a, b *big.Rat) *big.Rat
		}
		ops := []op{
			{"+", w.Add(x, y), (*big.Rat).Add}, {"−", w.Sub(x, y), (*big.Rat).Sub}, {"·", w.Mul(x, y), (*big.Rat).Mul},
			{"hull", w.widen(x, y), func(z, a, b *big.Rat) *big.Rat { return z.Add(a, b) }},
			{"hull", w.widen(x, y), func(z, a, b *big.Rat) *big.Rat { return z.Sub(a, b) }},
		}
		if y.Positive() == interval.True || y.Negative() == interval.True {
			ops = append(ops, op{"/", w.Div(x, y), (*big.Rat).Quo})
		} else if w.Div(x, y).Known() {
			t.Fatalf("%+v/%+v is known", x, y)
		}
		xs, ys := members(r, x), members(r, y)
		for _, o := range ops {
			valid(t, o.got)
			if o.got.Known() {
				known++
			}
			for i, a := range xs {
				for j, b := range ys {
					if (i < 2) != (j < 2) && o.name != "/" {
						continue
					}
					if q := o.f(new(big.Rat), a, b); !contains(o.got, q) {
						t.Fatalf("%+v %s %+v = %+v leaves out %s of %s and %s", x, o.name, y, o.got, q.FloatString(70), a.FloatString(70), b.FloatString(70))
					}
				}
			}
		}
	}
	if known < 3*points(800) {
		t.Errorf("only %d results are known", known)
	}
}

// TestMulCountsWhatItLeavesOut: products of exact numbers that err by more than four ulps.
func TestMulCountsWhatItLeavesOut(t *testing.T) {
	w := Three{}
	r := rand.New(rand.NewSource(2))
	for range 2000 {
		a, b := anyFrac(r), anyFrac(r)
		a.Hi, b.Hi = a.Hi|1<<63, b.Hi|1<<63
		a.Mi, b.Mi, a.Lo, b.Lo = ^(a.Mi >> 40), ^(b.Mi >> 40), ^(a.Lo >> 40), ^(b.Lo >> 40)
		x, y := pack(false, a, 0, 0), pack(false, b, 0, 0)
		p, q := members(r, x)[0], members(r, y)[0]
		if !contains(w.Mul(x, y), new(big.Rat).Mul(p, q)) {
			t.Fatalf("%+v·%+v", x, y)
		}
	}
}

// TestErrorsOfFactorsAddUp: ends of products of factors with errors are products of their ends, also where the words
// that are left out of the bound are largest, and errors of a long product are not doubled by each factor.
func TestErrorsOfFactorsAddUp(t *testing.T) {
	w := Three{}
	r := rand.New(rand.NewSource(12))
	ones := ^uint64(0)
	for range points(2000) {
		factor := func() Real {
			m := fraction.Make(1<<63|r.Uint64()>>(1+r.Intn(62)), ones, ones)
			return pack(false, m, 1+r.Uint64()>>(3+r.Intn(61)), 0)
		}
		x, y := factor(), factor()
		if r.Intn(4) == 0 {
			y = y.exact()
		}
		z := w.Mul(x, y)
		valid(t, z)
		for _, a := range members(r, x) {
			for _, b := range members(r, y) {
				if !contains(z, new(big.Rat).Mul(a, b)) {
					t.Fatalf("%+v·%+v leaves out %v·%v", x, y, a, b)
				}
			}
		}
	}
	x := pack(false, fraction.Make(9<<60, 0, 0), 1<<20, 0) // 9/16: every other product is shifted
	z := x
	for range 99 {
		z = w.Mul(z, x)
	}
	if bits := uint(192 - 20 - 8); !z.Good(bits) { // a hundred errors of 2^20/(9/16) ulps
		t.Errorf("a product of 100 factors is %v, and not good to %d bits", z.Interval(), bits)
	}
}

// A function of one variable, the domain that it is tested on, and how many bits are good
// of an argument that is a point.
var functions = []struct {
	name   string
	got    func(Three, Real) Real
	want   func(interval.Prec, interval.Interval) interval.Interval
	lo, hi int // exponents
	signs  int // of the argument: 1 or 2
	good   int
}{
	{"sqrt", Three.Sqrt, interval.Prec.Sqrt, -300, 300, 1, 180},
	{"exp", Three.Exp, interval.Prec.Exp, -200, 20, 2, 165},
	{"expm1", Three.Expm1, interval.Prec.Expm1, -300, 12, 2, 160},
	{"log", Three.Log, interval.Prec.Log, -300, 300, 1, 170},
	{"log1p", Three.Log1p, interval.Prec.Log1p, -300, 60, 2, 155},
	{"erfc", Three.Erfc, intervalErfc, -200, 4, 2, 170},
	{"1 − Φ", Three.NormalSF, interval.Prec.NormalSF, -200, 5, 2, 170},
}

// TestFunctionsEnclose: the value at every member of an argument is enclosed.
func TestFunctionsEnclose(t *testing.T) {
	for _, f := range functions {
		r := rand.New(rand.NewSource(3))
		known, n := 0, points(150)
		for range n {
			exp := f.lo + r.Intn(f.hi-f.lo+1)
			if r.Intn(2) == 0 {
				exp = r.Intn(min(f.hi, 6)+1+8) - 8
			}
			x := pack(f.signs > 1 && r.Intn(2) == 0, some(r), r.Uint64()>>(2+r.Intn(62)), exp)
			switch r.Intn(4) {
			case 0:
				x = x.exact()
			case 1: // about 0
				x = pack(x.neg(), x.m.Shr(132), x.err(), x.exp())
			}
			y := f.got(Three{}, x)
			valid(t, y)
			if !y.Known() {
				continue
			}
			known++
			for _, a := range members(r, x) {
				if v := f.want(reference, reference.Rat(a)); !covers(y, v) {
					t.Fatalf("%s(%+v) = %+v leaves out %v at %s", f.name, x, y, v, a.FloatString(70))
				}
			}
		}
		if known < n/3 {
			t.Errorf("%s: only %d results of %d are known", f.name, known, n)
		}
	}
}

// covers reports that y encloses all of v, which is far narrower.
func covers(y Real, v interval.Interval) bool {
	z := y.Interval()
	return z.Lo().Cmp(v.Lo()) <= 0 && v.Hi().Cmp(z.Hi()) <= 0
}

// TestFunctionsKeepTheirPrecision: of arguments that are points of about 1.
func TestFunctionsKeepTheirPrecision(t *testing.T) {
	for _, f := range functions {
		r := rand.New(rand.NewSource(4))
		for range points(100) {
			x := pack(f.signs > 1 && r.Intn(2) == 0, frac{Hi: r.Uint64()>>2 + 1<<61, Lo: r.Uint64()}, 0, r.Intn(3))
			if f.name == "log1p" && x.neg() {
				x = Three{}.Scale(x, -2)
			}
			if g := f.got(Three{}, x).Interval().RelativeBits(200); g < f.good-24*boolInt(f.name == "log") {
				t.Errorf("%s(%v) = %v: %d bits, want %d", f.name, x.Interval(), f.got(Three{}, x).Interval(), g, f.good)
			}
		}
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSmallArgumentsKeepRelativePrecision: expm1 and log1p of tiny arguments.
func TestSmallArgumentsKeepRelativePrecision(t *testing.T) {
	for _, exp := range []int{-24, -25, -26, -60, -190, -192, -193, -1000} {
		for _, neg := range []bool{false, true} {
			x := pack(neg, fraction.Make(1<<63+12345, 6789, 1), 0, exp)
			const w = interval.Prec(400)
			for _, f := range []struct {
				name string
				got  Real
				want interval.Interval
			}{{"expm1", Three{}.Expm1(x), w.Expm1(x.Interval())}, {"log1p", Three{}.Log1p(x), w.Log1p(x.Interval())}} {
				if g := f.got.Interval().RelativeBits(200); g < 155 || !covers(f.got, f.want) {
					t.Errorf("%s(±2^%d) = %v: %d bits", f.name, exp, f.got, g)
				}
			}
		}
	}
}

// TestUnknownStaysUnknown: and what lies beyond a range is Unknown.
func TestUnknownStaysUnknown(t *testing.T) {
	w := Three{}
	u, one := Unknown(), Int(1)
	wide := pack(false, frac{Hi: 1 << 63}, 0, 200)
	wide = w.Add(wide, pack(false, frac{Hi: 1 << 63}, 1<<60, 190)) // some 60 bits of error
	about0 := pack(false, frac{}, 5, 0)
	for name, y := range map[string]Real{
		"u + 1": w.Add(u, one), "1 + u": w.Add(one, u), "u·0": w.Mul(u, Real{}), "1·u": w.Mul(one, u), "u/1": w.Div(u, one), "1/u": w.Div(one, u),
		"1/0": w.Div(one, Real{}), "1/±": w.Inv(about0), "√u": w.Sqrt(u), "√−1": w.Sqrt(Int(-1)), "√±": w.Sqrt(about0),
		"exp u": w.Exp(u), "exp big": w.Exp(Int(1 << 20)), "exp −big": w.Exp(Int(-1 << 20)), "log 0": w.Log(Real{}), "log −1": w.Log(Int(-1)),
		"log u": w.Log(u), "log ±": w.Log(about0), "log1p −1": w.Log1p(Int(-1)), "log1p −2": w.Log1p(Int(-2)), "expm1 u": w.Expm1(u),
		"erfc 12": w.Erfc(Int(12)), "erfc u": w.Erfc(u), "exp wide": w.Exp(wide),
		"2^∞": w.Scale(one, maxExp+1), "u·2": w.Scale(u, 1), "−u": u.Neg(), "2^−∞": w.Scale(one, -maxExp-2), "u widened": w.widen(u, one), "widened by u": w.widen(one, u),
		"product": w.Mul(w.Scale(one, maxExp-1), w.Scale(one, maxExp-1)), "∞": FromInterval(interval.Entire()),
	} {
		if y.Known() {
			t.Errorf("%s = %v", name, y.Interval())
		}
		if y.Interval().IsFinite() || y.Positive() != interval.Unknown || y.Negative() != interval.Unknown {
			t.Errorf("%s is not everything", name)
		}
	}
}

// TestErfcFarOnTheLeft: there it is nearly 2.
func TestErfcFarOnTheLeft(t *testing.T) {
	for _, x := range []Real{Int(-12), Int(-13), Int(-16), Int(-1000), pack(true, frac{Hi: 1 << 63}, 1<<60, 100)} {
		y := Three{}.Erfc(x)
		if !y.Known() || !contains(y, big.NewRat(2, 1)) || y.Interval().RelativeBits(200) < 165 {
			t.Errorf("erfc(%v) = %v", x.Interval(), y.Interval())
		}
	}
}

// TestErfcOfWideArguments: −9 is not far enough to know nothing more of it.
func TestErfcOfWideArguments(t *testing.T) {
	if y := (Three{}).Erfc(pack(true, frac{Hi: 9 << 60}, 1<<50, 4)); y.Known() {
		t.Errorf("erfc(−9) = %v", y.Interval())
	}
}

// TestLogNextToOne: where the parts of a logarithm cancel.
func TestLogNextToOne(t *testing.T) {
	for _, d := range []uint64{0, 1, 2, 20, 1 << 40} {
		for _, x := range []Real{pack(false, fraction.Make(1<<63, 0, d), 0, 1), pack(false, fraction.Sub(frac{}, frac{Lo: d + 1}), 0, 0)} {
			q := members(rand.New(rand.NewSource(1)), x)[0]
			if y := (Three{}).Log(x); !y.Known() || !covers(y, interval.Prec(500).Log(reference.Rat(q))) {
				t.Errorf("log(%+v) = %v", x, y.Interval())
			}
		}
	}
}

// TestIntervalsThereAndBack: an interval is enclosed by its Real, and a Real is its Interval.
func TestIntervalsThereAndBack(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range points(1000) {
		x := anyReal(r, r.Intn(400)-200)
		lo, hi, _ := x.Interval().Rationals()
		width := new(big.Rat).Sub(hi, lo)
		back := FromInterval(x.Interval())
		for _, q := range members(r, x) {
			if !contains(back, q) {
				t.Fatalf("%+v there and back is %+v", x, back)
			}
		}
		lo, hi, ok := back.Interval().Rationals()
		if !ok {
			t.Fatalf("%+v there and back is unknown", x)
		}
		ulp := new(big.Rat).SetFrac(new(big.Int).Lsh(big.NewInt(1), 600), new(big.Int).Lsh(big.NewInt(1), uint(600+192-x.exp())))
		if d := hi.Sub(hi, lo); d.Cmp(new(big.Rat).Add(new(big.Rat).Mul(width, big.NewRat(2, 1)), ulp.Mul(ulp, big.NewRat(16, 1)))) > 0 {
			t.Fatalf("%+v there and back is far wider: %+v", x, back)
		}
		p := interval.Prec(2 + r.Intn(400))
		q := big.NewRat(r.Int63()-1<<62, 1+r.Int63())
		if !contains(FromInterval(p.Rat(q)), q) || !contains(Three{}.Rat(q), q) {
			t.Fatalf("%v is lost", q)
		}
	}
	long := interval.Prec(300).Rat(new(big.Rat).SetFrac(new(big.Int).Add(new(big.Int).Lsh(big.NewInt(1), 250), big.NewInt(1)), big.NewInt(3*5*7<<20)))
	if y := FromInterval(interval.Point(long.Lo())).Interval(); y.Lo().Cmp(long.Lo()) > 0 || y.Hi().Cmp(long.Lo()) < 0 {
		t.Errorf("%v is %v", long, y)
	}
	for range points(300) {
		q := new(big.Rat).SetFrac(new(big.Int).Rand(r, new(big.Int).Lsh(big.NewInt(1), uint(1+r.Intn(200)))), new(big.Int).Lsh(big.NewInt(1), uint(r.Intn(300))))
		if y := (Three{}).Rat(q.Neg(q)); !contains(y, q) || q.Num().BitLen() <= 192 && y.err() != 0 {
			t.Fatalf("%v is %v", q, y.Interval())
		}
	}
	if s := fmt.Sprint(Int(-3).Interval()); s != "[-3, -3]" {
		t.Error(s)
	}
}

// TestSigns: the sign of an enclosure, where all members have it.
func TestSigns(t *testing.T) {
	tiny := frac{Lo: 5}
	for _, c := range []struct {
		x        Real
		pos, neg interval.Truth
	}{
		{Real{}, interval.False, interval.False},
		{Int(1), interval.True, interval.False},
		{Int(-1), interval.False, interval.True},
		{makeReal(false, tiny, 4, 0), interval.True, interval.False},
		{makeReal(false, tiny, 5, 0), interval.Unknown, interval.False},
		{makeReal(true, tiny, 5, 0), interval.False, interval.Unknown},
		{makeReal(false, tiny, 6, 0), interval.Unknown, interval.Unknown},
		{makeReal(true, tiny, 6, 0), interval.Unknown, interval.Unknown},
		{makeReal(true, tiny, 4, 0), interval.False, interval.True},
		{Unknown(), interval.Unknown, interval.Unknown},
	} {
		if c.x.Positive() != c.pos || c.x.Negative() != c.neg {
			t.Errorf("%+v: positive %v, negative %v", c.x, c.x.Positive(), c.x.Negative())
		}
	}
	for bits, x := range map[uint]Real{191: pack(true, frac{Hi: 1 << 63}, 1, 5), 190: pack(false, frac{Hi: 1<<64 - 1}, 3, -5), 60: makeReal(false, frac{Mi: 1 << 7}, 2048, 0)} {
		if !x.Good(bits) || x.Good(bits+1) {
			t.Errorf("%v is not good to just %d bits", x.Interval(), bits)
		}
	}
	if !(Real{}).Good(1000) || Unknown().Good(0) || makeReal(false, tiny, 6, 0).Good(0) {
		t.Error("a point is good to any number of bits, and what may be 0 to none")
	}
	if Int(1).Less(Int(2)) != interval.True || Int(2).Less(Int(2)) != interval.False {
		t.Error("1 < 2, and 2 < 2 is false")
	}
}

// TestMiddle: every member is within the radius of the middle, which is a point.
func TestMiddle(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 2000 {
		x := Complex{anyReal(r, 0), anyReal(r, -50)}
		if !x.Known() {
			continue
		}
		m, radius := x.Middle()
		most, _, ok := radius.Rationals()
		if !ok || m.Re.err() != 0 || m.Im.err() != 0 {
			t.Fatalf("%v has the middle %v, off by %v", x, m, radius)
		}
		for i, parts := range [][2]Real{{x.Re, m.Re}, {x.Im, m.Im}} {
			for _, q := range members(r, parts[0]) {
				mid, _, _ := parts[1].Interval().Rationals()
				d := mid.Sub(q, mid)
				if d.Abs(d).Cmp(most) > 0 {
					t.Fatalf("part %d of %v: %v is farther from the middle than %v", i, x, q, most)
				}
			}
		}
	}
}
