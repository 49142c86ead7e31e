// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package sector

import (
	"math"
	"math/big"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/testkit"
)

// kinds are steps of much and of little noise, of rare and of frequent hits, and then such steps of replaced records.
func kinds() (out []step) {
	for _, c := range []struct {
		q, mu2   string
		replaced bool
	}{
		{"1/100", "1", false}, {"1/1000000", "9", false}, {"1/2", "1", false}, {"9/10", "1/4", false},
		{"1/10", "1/25", false}, {"1/1000", "30", false}, {"1/100", "1", true}, {"1/1000000", "9", true},
		{"1/1000", "1/4", true}, {"1/4", "3", true}, {"1/10000000", "1", true},
	} {
		out = append(out, step{rat(c.q), rat(c.mu2), 1, c.replaced})
	}
	return out
}

func rat(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		panic(s)
	}
	return r
}

func exactly(x float64) interval.Interval { return coarse.Rat(new(big.Rat).SetFloat64(x)) }

// density is |f| at X = p·(1 − i·tan α), and t − ℓ up to conjugation.
func (s step) density(alpha, p float64) (f float64, t complex128) {
	x, l := complex(p, -p*math.Tan(alpha)), s.scout()
	if s.replaced {
		q := number.Float64(s.q)
		a := math.Exp(l.mean)
		w := cmplx.Sinh(x/2) / complex(a, 0)
		// The root goes on from the axis: its real part is above 0 beside that of w.
		root := w * cmplx.Sqrt(1+1/(w*w))
		t := x/2 + cmplx.Log(w+root)
		for imag(t) > 1e-9 { // the logarithm goes on, too
			t -= 2i * math.Pi
		}
		slope := (1 + cmplx.Cosh(x/2)/(complex(a, 0)*root)) / 2
		f := cmplx.Exp(-t*t/complex(2*l.mu*l.mu, 0)) * slope * (1 + complex(a, 0)*cmplx.Exp(-t))
		return (1 - q) * cmplx.Abs(f) / (l.mu * math.Sqrt(2*math.Pi)), cmplx.Conj(t)
	}
	rest := -cmplx.Exp(-x) + 1
	if p < 1e-3 {
		rest = x - x*x/2 + x*x*x/6
	}
	t = x + cmplx.Log(rest) - complex(l.mean, 0)
	away := t / complex(l.mu, 0)
	return cmplx.Abs(cmplx.Exp(-away*away/2)/rest) / (l.mu * math.Sqrt(2*math.Pi)), cmplx.Conj(t)
}

// TestSizesBound: K(α) is at least the integral of |f|·e^{r|X|}, and not much more, and the bounds of its ends are at
// least those of its ends, and of sums over nodes.
func TestSizesBound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range testkit.Draws(12, 60, 200) {
		s := kinds()[r.IntN(len(kinds()))]
		alpha, rate := 0.6*r.Float64()*r.Float64(), float64(r.IntN(2))
		if s.mu2.Cmp(rat("1")) < 0 {
			alpha /= 4
		}
		along, l, about := newRay(exactly(alpha), exactly(rate)), s.law(coarse), s.scout()
		const fine = 1.0 / 256
		from, to := about.mean-9*about.mu-1, 16*about.mu+max(about.mean, 0)+8
		first, last := about.mean-(1+2*r.Float64())*about.mu-1, max(about.mean+1.5, 1)+3*r.Float64()*about.mu
		if s.replaced {
			from, last = about.mean-25, max(about.mean+2, 1)+(2+3*r.Float64())*about.mu
		}
		all, left, right := 0.0, 0.0, 0.0
		every := 1 + r.IntN(100) // nodes are coarser than cells
		var leftSum, rightSum float64
		for i := int(from / fine); float64(i)*fine < math.Log(to); i++ {
			y := (float64(i) + 0.5) * fine
			p := math.Exp(y)
			f, _ := s.density(alpha, p)
			size := p / math.Cos(alpha)
			term := f * size * math.Exp(rate*size) * fine
			all += term
			if y+fine/2 <= first {
				left += term
			}
			if y-fine/2 >= math.Log(last) {
				right += term
			}
			if i%every == 0 && y <= first-float64(every)*fine {
				leftSum += term * float64(every)
			}
			if i%every == 0 && y >= math.Log(last)+float64(every)*fine {
				rightSum += term * float64(every)
			}
		}
		most, loose := double.Of(l.size(along)).Hi, 1.6
		if s.replaced {
			loose = 2.5
		}
		if all > most*(1+1e-9) || most > loose*all+0.2 {
			t.Errorf("q = %v, μ² = %v, α = %v, r = %v: an integral of %v, bound %v", s.q, s.mu2, alpha, rate, all, most)
		}
		bound := double.Of(l.left(along, exactly(math.Exp(first)))).Hi
		if max(left, leftSum) > bound*(1+1e-9) {
			t.Errorf("q = %v, μ² = %v, α = %v: left of e^%v %v and %v, bound %v", s.q, s.mu2, alpha, first, left, leftSum, bound)
		}
		bound = double.Of(l.right(along, exactly(last))).Hi
		if max(right, rightSum) > bound*(1+1e-9) {
			t.Errorf("q = %v, μ² = %v, α = %v: right of %v %v and %v, bound %v", s.q, s.mu2, alpha, last, right, rightSum, bound)
		}
	}
}

// TestDensitiesBound: |f| and |Im t| of lemma 1, at points.
func TestDensitiesBound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	nearest := 0.0
	for range testkit.Cases(2000, 20000) {
		s := kinds()[r.IntN(len(kinds()))]
		l := s.scout()
		alpha := 0.785 * r.Float64()
		p := math.Exp(12*r.Float64() - 8)
		if s.replaced {
			replacedDensity(t, s, alpha, p)
			continue
		}
		f, at := s.density(alpha, p)
		turned := math.Abs(imag(at))
		c, t0 := alpha+p*math.Tan(alpha), math.Log(math.Expm1(p))
		d := max(0, t0-l.mean, l.mean+math.Log(math.Cos(alpha))-t0)
		bound := math.Exp((c*c-d*d)/(2*l.mu*l.mu)) / (l.mu * math.Sqrt(2*math.Pi) * -math.Expm1(-p))
		if f > bound*(1+1e-6) || turned > c+1e-9 {
			t.Errorf("%+v, α = %v, p = %v: |f| = %v and |Im t| = %v, bounds %v and %v", l, alpha, p, f, turned, bound, c)
		}
		nearest = max(nearest, turned/c)
	}
	if nearest < 0.99 {
		t.Errorf("|Im t| is at most %v of its bound", nearest)
	}
}

// replacedDensity is TestDensitiesBound of a replaced record: lemma 1′.
func replacedDensity(t *testing.T, s step, alpha, p float64) {
	t.Helper()
	l, r := s.law(coarse), newRay(exactly(alpha), interval.Int(0))
	if !l.holds(r) {
		return
	}
	p *= math.Exp(s.scout().mean / 2 * rand.Float64())
	f, away := s.density(alpha, p)
	turned, at := math.Abs(imag(away)), exactly(p)
	a := math.Exp(s.scout().mean)
	w := math.Sinh(p/2) / a
	tau := p/2 + math.Asinh(w)
	slope := (1 + math.Cosh(p/2)/(a*math.Sqrt(1+w*w))) / 2
	t0 := exactly(s.scout().mean + tau)
	d := double.Of(l.away(r, t0, t0, at)).Mid()
	c := double.Of(r.turn(at)).Mid()
	mu := s.scout().mu
	bound := math.Exp((c*c-d*d)/(2*mu*mu)) * slope * double.Of(l.loose(r, at)).Hi / (mu * math.Sqrt(2*math.Pi))
	if f > bound*(1+1e-6) || turned > c+1e-9 || real(away) < d-1e-9 || slope > -(1+1e-12)/math.Expm1(-p) {
		t.Errorf("%+v, α = %v, p = %v: |f| = %v and |Im t| = %v, bounds %v and %v", s, alpha, p, f, turned, bound, c)
	}
	if up := double.Of(l.lift(t0)).Mid(); math.Abs(up-p) > 1e-6*p {
		t.Errorf("%+v: p = %v of t₀, want %v", s, up, p)
	}
}

// TestLogarithms: they are those of package interval, which are narrower by next to nothing.
func TestLogarithms(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for range testkit.Draws(40, 200, 2000) {
		size := math.Exp(40*r.Float64() - 35)
		z := interval.Complex{Re: exactly(size * r.Float64()), Im: exactly(size * (2*r.Float64() - 1))}
		for _, w := range []interval.Prec{2, 3, 8, 60, 300} {
			got, want := logarithm(w, z), interval.Prec(400).LogC(z)
			if !got.Re.Encloses(want.Re) || !got.Im.Encloses(want.Im) {
				t.Errorf("log %v at %d bits is %v, want %v", z, w, got, want)
			}
			off := coarse.Sub(got.Im, want.Im).Abs().Upper()
			if w >= 8 && off.LessEq(coarse.Scale(one, 6-int(w))) != interval.True {
				t.Errorf("log %v at %d bits is %v, off by %v", z, w, got, off)
			}
		}
	}
	behind := interval.Complex{Re: one.Neg(), Im: exactly(1.0 / 1024)}
	if y := logarithm(60, behind); !y.Im.Encloses(interval.Prec(400).ArgC(behind)) {
		t.Errorf("log %v is %v", behind, y)
	}
	wide := interval.Complex{Re: interval.Union(one, interval.Int(2)), Im: interval.Union(one.Neg(), one)}
	if y := logarithm(60, wide); !y.Im.Encloses(interval.Prec(60).ArgC(wide)) {
		t.Errorf("log %v is %v", wide, y)
	}
}
