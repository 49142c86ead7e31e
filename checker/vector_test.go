// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// random returns a vector with some masses, of few bits, so that all roundings show.
func random(r *rand.Rand, lower bool) *vector {
	const bits = 12
	n := 1 + r.Int64N(7)
	first := r.Int64N(9) - 4
	v := newVector(big.NewRat(1, 2), first, first+n-1, bits, []int64{1})
	v.a = zeros(int(n), bits)
	if lower {
		v.b = zeros(int(n), bits)
	}
	left := int64(1 << bits)
	for i := range v.a {
		m := r.Int64N(left/2 + 1)
		if r.IntN(3) == 0 {
			m = 0
		}
		left -= m
		v.a[i].SetInt64(m)
		if lower {
			v.b[i].SetInt64(r.Int64N(1<<bits/4 + 1))
		}
	}
	return v
}

// profile is u(α) in float64, from the definition; Q-masses are b on the lower side.
func (v *vector) profileAt(alpha float64) float64 {
	u, sum := 0.0, 0.0
	step, _ := v.step.Float64()
	for i, m := range v.a {
		a := float(m, v.prec)
		sum += a
		u += math.Max(0, a*(1-alpha*math.Exp(-step*float64(v.first+int64(i)))))
	}
	return u + 1 - sum
}

func float(m *big.Int, bits uint) float64 {
	f, _ := new(big.Float).SetInt(m).Float64()
	return math.Ldexp(f, -int(bits))
}

// product is the profile of the exact product, by the definition.
func product(v, w *vector, alpha float64) float64 {
	step, _ := v.step.Float64()
	u, sum := 0.0, 0.0
	for i, a := range v.a {
		for j, b := range w.a {
			m := float(a, v.prec) * float(b, w.prec)
			sum += m
			u += math.Max(0, m*(1-alpha*math.Exp(-step*float64(v.first+w.first+int64(i+j)))))
		}
	}
	return u + 1 - sum
}

const tiny = 1e-12 // of the float64 sums here

// TestTheUpperSideRises: coarsening, cutting and products raise the profile, and by little.
func TestTheUpperSideRises(t *testing.T) {
	setPrecision(96)
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		work = 0
		v, w := random(r, false), random(r, false)
		c, p := v.coarsen(), v.times(w)
		var cut *vector
		if len(v.a) > 2 {
			cut = v.cut(1, len(v.a)-1)
		}
		for k := -12; k <= 12; k++ {
			alpha := math.Exp(float64(k) / 3)
			u := v.profileAt(alpha)
			if x := c.profileAt(alpha); x < u-tiny || x > u+0.13 {
				t.Fatalf("coarsening takes u(%v) from %v to %v", alpha, u, x)
			}
			if cut != nil && cut.profileAt(alpha) < u-tiny {
				t.Fatalf("a cut takes u(%v) from %v to %v", alpha, u, cut.profileAt(alpha))
			}
			exact := product(v, w, alpha)
			if x := p.profileAt(alpha); x < exact-tiny || x > exact+0x1p-10 {
				t.Fatalf("a product has u(%v) = %v, and is rounded to %v", alpha, exact, x)
			}
			eps := new(big.Rat).SetFloat64(math.Round(float64(k)*1024/3) / 1024)
			f, _ := eps.Float64()
			bound, _ := delta(v, w, eps).high().Float64()
			if exact := product(v, w, math.Exp(f)); bound < exact-tiny || bound > exact+tiny {
				t.Fatalf("δ(%v) ≤ %v, want %v", f, bound, exact)
			}
		}
	}
}

// spread is what an exact operation makes of masses, which float64 has all but exactly: of each index, shares of
// others. The index i counts from first.
func spread(masses []*big.Int, prec uint, first int64, op func(i int64, m float64, add func(i int64, m float64))) map[int64]float64 {
	out := make(map[int64]float64)
	for k, m := range masses {
		op(first+int64(k), float(m, prec), func(i int64, m float64) { out[i] += m })
	}
	return out
}

// outward checks that P-masses are no more, and Q-masses no less, of all indices of at least k, for each k.
func outward(t *testing.T, what string, v *vector, exact func(masses []*big.Int) map[int64]float64, a, b []*big.Int) {
	t.Helper()
	for side, list := range [][]*big.Int{v.a, v.b} {
		want := exact([][]*big.Int{a, b}[side])
		for k := int64(-40); k < 40; k++ {
			got, all := 0.0, 0.0
			for i, m := range list {
				if v.first+int64(i) >= k {
					got += float(m, v.prec)
				}
			}
			for i, m := range want {
				if i >= k {
					all += m
				}
			}
			if side == 0 && got > all+0x1p-50 || side == 1 && got < all-0x1p-50 { // of float64
				t.Fatalf("%s: from %d on, side %d has %v, exactly %v", what, k, side, got, all)
			}
		}
	}
}

// TestTheLowerSideFalls: every operation rounds outward, in the sense of theorem 4.
func TestTheLowerSideFalls(t *testing.T) {
	setPrecision(96)
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		work = 0
		v, w := random(r, true), random(r, true)
		outward(t, "coarsen", v.coarsen(), func(m []*big.Int) map[int64]float64 {
			return spread(m, v.prec, v.first, func(i int64, m float64, add func(int64, float64)) {
				low := float(integer(1).add(rational(v.step).exp()).inv().lo, W) * float64(i&1)
				add(i>>1, m*low)
				add((i+1)>>1, m*(1-low))
			})
		}, v.a, v.b)
		p := v.times(w)
		outward(t, "times", p, func(m []*big.Int) map[int64]float64 {
			other := w.a
			if len(m) > 0 && m[0] == v.b[0] {
				other = w.b
			}
			return spread(m, v.prec, v.first, func(i int64, m float64, add func(int64, float64)) {
				for k, x := range other {
					add(i+w.first+int64(k), m*float(x, w.prec))
				}
			})
		}, v.a, v.b)
		for lo := range v.a {
			for hi := lo + 1; hi <= len(v.a); hi++ {
				if lo == 0 && hi == len(v.a) {
					continue
				}
				outward(t, "cut", v.cut(lo, hi), func(m []*big.Int) map[int64]float64 {
					return spread(m, v.prec, v.first, func(i int64, m float64, add func(int64, float64)) {
						if i >= v.first+int64(lo) {
							add(min(i, v.first+int64(hi)-1), m)
						}
					})
				}, v.a, v.b)
			}
		}
		// What it says is no more than for the best set {i + j > n}.
		eps := big.NewRat(r.Int64N(9)-4, 3)
		f, _ := eps.Float64()
		best := 0.0
		for n := range len(v.a) + len(w.a) {
			sum := 0.0
			for i, x := range v.a {
				for j, y := range w.a {
					if i+j >= n {
						sum += float(x, v.prec)*float(y, v.prec) - math.Exp(f)*float(v.b[i], v.prec)*float(w.b[j], v.prec)
					}
				}
			}
			best = math.Max(best, sum)
		}
		if got, _ := delta(v, w, eps).low().Float64(); got > best+tiny {
			t.Fatalf("δ ≥ %v, and no set has more than %v", got, best)
		}
	}
}

// TestProfilesOfGaussians: the profile of rest·N(0, 1) + Σ w·N(μ, 1) against N(0, 1), or against the same with its sign
// changed, contains the greatest difference over half-lines, both ways.
func TestProfilesOfGaussians(t *testing.T) {
	work = 0
	setPrecision(128)
	sf := func(t float64) float64 { return math.Erfc(t/math.Sqrt2) / 2 }
	r := rand.New(rand.NewPCG(7, 8))
	for range 60 {
		work = 0
		g, rest, isMirrored := gaussian{}, 1.0, r.IntN(3) == 0
		var ws, ms []float64
		for k := 1 + r.IntN(3); k > 0 && (!isMirrored || ws == nil); k-- {
			w, m := big.NewRat(1+r.Int64N(30), 100), big.NewRat(1+r.Int64N(40), 10)
			g.weights, g.squares = append(g.weights, w), append(g.squares, new(big.Rat).Mul(m, m))
			x, _ := w.Float64()
			y, _ := m.Float64()
			ws, ms, rest = append(ws, x), append(ms, y), rest-x
		}
		f := &factor{pair: g}
		if isMirrored {
			f = &factor{pair: mirrored{g}, symmetric: true}
		}
		alpha := math.Exp(4*r.Float64() - 1)
		for _, d := range []direction{remove, add} {
			above := func(x float64) float64 {
				p := rest * sf(x)
				for i, w := range ws {
					p += w * sf(x-ms[i])
				}
				return p
			}
			test := func(x float64) float64 {
				p := above(x)
				if isMirrored {
					return p - alpha*(1-above(-x))
				}
				if d == add {
					return 1 - sf(x) - alpha*(1-p)
				}
				return p - alpha*sf(x)
			}
			best, most := 0.0, math.Inf(-1)
			for k := -160; k < 240; k++ { // every cut to 1/20, and to 1/1000 next to the best of those
				most = math.Max(most, test(float64(k)/20))
			}
			for k := -160; k < 240; k++ {
				if x := float64(k) / 20; test(x) > most-0.01 {
					for i := range 101 {
						best = math.Max(best, test(x+float64(i-50)/1000))
					}
				}
			}
			h := f.profile(d, rational(new(big.Rat).SetFloat64(alpha)))
			lo, _ := h.low().Float64()
			hi, _ := h.high().Float64()
			if best < lo-1e-6 || best > hi+1e-12 || hi-lo > 1e-12 {
				t.Errorf("%v at %v, α = %v, %s: [%v, %v], want %v", ws, ms, alpha, d, lo, hi, best)
			}
		}
	}
}

func TestConvolve(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		a, b := zeros(1+r.IntN(9), 10), zeros(1+r.IntN(9), 10)
		for _, x := range [][]*big.Int{a, b} {
			for _, y := range x {
				y.Rsh(new(big.Int).SetUint64(r.Uint64()), uint(r.IntN(64)))
			}
		}
		for k, x := range convolve(a, b) {
			want := new(big.Int)
			for i := range a {
				if j := k - i; j >= 0 && j < len(b) {
					want.Add(want, new(big.Int).Mul(a[i], b[j]))
				}
			}
			if x.Cmp(want) != 0 {
				t.Fatalf("%v · %v at %d: %v, want %v", a, b, k, x, want)
			}
		}
	}
}

// TestStepsThatAreTooLarge: a step beyond binary64, times an index 0, would be no number of bits.
func TestStepsThatAreTooLarge(t *testing.T) {
	step := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	for _, levels := range []int{0, 40} {
		err := func() (err error) {
			defer recovered(&err)
			g := grid{Bits: 16, Step: step.RatString(), Leaves: []leaf{{Index: []int64{0}, Mass: []*big.Int{oneUnit}, Levels: levels}}}
			g.read("VERIFIED")
			return nil
		}()
		if err == nil || err.Error() != "a grid that is not understood" {
			t.Errorf("at level %d: %v", levels, err)
		}
	}
}

// TestCellsAreRoundedOutward: the sums of a leaf of the lower side, from each index on, are no more than the P-masses
// and no less than the Q-masses, with so few bits that the halves of a unit show.
func TestCellsAreRoundedOutward(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 200 {
		work = 0
		small := func() *big.Rat { return big.NewRat(1+r.Int64N(9), 1<<20) }
		p, q := []*big.Rat{small(), small()}, []*big.Rat{small(), small()}
		for _, x := range []*[]*big.Rat{&p, &q} {
			*x = append(*x, oneLess(new(big.Rat).Add((*x)[0], (*x)[1])))
		}
		f := finitePair(p, q)
		setPrecision(20)
		l := leaf{step: big.NewRat(1, 1)}
		for range p {
			l.Index, l.Part = append(l.Index, r.Int64N(5)-2), append(l.Part, r.Int64N(1<<partBits))
		}
		v := f.groups(&grid{Bits: 20}, l, remove)
		for k := int64(-3); k < 5; k++ {
			exact := func(masses []*big.Rat) *big.Rat {
				sum := new(big.Rat)
				for c, m := range masses {
					share := big.NewRat(l.Part[c], 1<<partBits) // of what goes to the index above
					if l.Index[c] >= k {
						share.SetInt64(1)
					} else if l.Index[c]+1 < k {
						share.SetInt64(0)
					}
					sum.Add(sum, share.Mul(share, m))
				}
				return sum
			}
			has := func(masses []*big.Int) *big.Rat {
				sum := new(big.Int)
				for i, m := range masses {
					if v.first+int64(i) >= k {
						sum.Add(sum, m)
					}
				}
				return new(big.Rat).SetFrac(sum, big.NewInt(1<<20))
			}
			if k > v.first+int64(len(v.b))-1 {
				continue
			}
			if has(v.a).Cmp(exact(p)) > 0 || has(v.b).Cmp(exact(q)) < 0 {
				t.Fatalf("from %d on: %s of %s, and %s of %s", k, has(v.a), exact(p), has(v.b), exact(q))
			}
		}
	}
}

// TestVectorsTakeMemory: no more than so many entries are made for a certificate.
func TestVectorsTakeMemory(t *testing.T) {
	work = 0
	made := 0
	err := func() (err error) {
		defer recovered(&err)
		for ; made < 100; made++ {
			newVector(big.NewRat(1, 1), 0, maxLength-1, 16, nil)
		}
		return nil
	}()
	if err == nil || made != maxEntries/maxLength {
		t.Errorf("%d vectors of the greatest length, %v", made, err)
	}
}
