// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/double"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// masses are n random masses, some of them 0.
func masses(r *rand.Rand, n int) []*big.Rat {
	sum := int64(0)
	var out []*big.Rat
	for i := range n {
		m := int64(r.Intn(6))
		if i == n-1 && sum == 0 {
			m = 1
		}
		sum += m
		out = append(out, big.NewRat(m, 1))
	}
	for _, m := range out {
		m.Quo(m, big.NewRat(sum, 1))
	}
	return out
}

// families are some random pairs.
func families(r *rand.Rand, count, outcomes int) (out []Finite) {
	for range count {
		out = append(out, Finite{masses(r, outcomes), masses(r, outcomes)})
	}
	return out
}

// pair has its profile, and the P-mass of infinite loss.
func (f Finite) pair() *Pair {
	infinite := new(big.Rat)
	for i, q := range f.Q {
		if q.Sign() == 0 {
			infinite.Add(infinite, f.P[i])
		}
	}
	h := func(_ context.Context, w interval.Prec, eps interval.Real) (interval.Interval, error) {
		y, alpha := interval.Int(0), w.Exp(eps(w))
		for i, p := range f.P {
			y = w.Add(y, interval.Max(interval.Int(0), w.Sub(w.Rat(p), w.Mul(alpha, w.Rat(f.Q[i])))))
		}
		return y, nil
	}
	return &Pair{Infinite: infinite, Profile: h}
}

// at is Σ P·next(α·Q/P).
func (f Finite) at(alpha *big.Rat, next func(*big.Rat) *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i, p := range f.P {
		if p.Sign() > 0 {
			x := new(big.Rat).Mul(alpha, f.Q[i])
			sum.Add(sum, x.Mul(p, next(x.Quo(x, p))))
		}
	}
	return sum
}

// hockey is (1 − α)₊.
func hockey(alpha *big.Rat) *big.Rat {
	x := new(big.Rat).Sub(big.NewRat(1, 1), alpha)
	if x.Sign() < 0 {
		x.SetInt64(0)
	}
	return x
}

// worst is the recursion, in rationals.
func worst(family []Finite, steps int, alpha *big.Rat, last func(*big.Rat) *big.Rat) *big.Rat {
	if steps == 0 {
		return last(alpha)
	}
	most := new(big.Rat)
	for _, f := range family {
		if x := f.at(alpha, func(a *big.Rat) *big.Rat { return worst(family, steps-1, a, last) }); x.Cmp(most) > 0 {
			most = x
		}
	}
	return most
}

// bestPolicy is the greatest Σ (P − αQ)₊ over all policies: every way to choose a pair for every history, of which P
// and Q are then two distributions of histories. It knows nothing of ratios or of an order in which to choose.
func bestPolicy(family []Finite, steps int, alpha *big.Rat) *big.Rat {
	outcomes := len(family[0].P)
	histories := 1 // after which there is a choice
	for n, level := 1, outcomes; n < steps; n, level = n+1, level*outcomes {
		histories += level
	}
	choice := make([]int, histories)
	most := new(big.Rat)
	for {
		sum := new(big.Rat)
		var walk func(at, first, level, n int, p, q *big.Rat) // at is the number of the history within its level
		walk = func(at, first, level, n int, p, q *big.Rat) {
			if n == steps {
				if d := new(big.Rat).Sub(p, new(big.Rat).Mul(alpha, q)); d.Sign() > 0 {
					sum.Add(sum, d)
				}
				return
			}
			f := family[choice[first+at]]
			for k := range outcomes {
				walk(at*outcomes+k, first+level, level*outcomes, n+1, new(big.Rat).Mul(p, f.P[k]), new(big.Rat).Mul(q, f.Q[k]))
			}
		}
		walk(0, 0, 1, 0, big.NewRat(1, 1), big.NewRat(1, 1))
		if sum.Cmp(most) > 0 {
			most = sum
		}
		i := 0
		for ; i < histories; i++ {
			if choice[i]++; choice[i] < len(family) {
				break
			}
			choice[i] = 0
		}
		if i == histories {
			return most
		}
	}
}

// TestTheRecursionIsTheBestPolicy: on 500 random families V_n is what the best of all policies has, each of which is
// written out, and enumeration finds it.
func TestTheRecursionIsTheBestPolicy(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	adaptive := 0
	n := testkit.Draws(200, 500, 500)
	for range n {
		steps, outcomes := 2, 2+r.Intn(2)
		if outcomes == 2 && r.Intn(4) == 0 {
			steps = 3
		}
		family := families(r, 2, outcomes)
		if r.Intn(2) == 0 { // the orientations of one pair
			family[1] = Finite{family[0].Q, family[0].P}
		}
		alpha := big.NewRat(1+int64(r.Intn(30)), 1+int64(r.Intn(10)))
		want := bestPolicy(family, steps, alpha)
		if got := worst(family, steps, alpha, hockey); got.Cmp(want) != 0 {
			t.Errorf("%v, %d steps at α = %v: the recursion has %v, the best policy %v", family, steps, alpha, got, want)
		}
		f, ok := Enumerate(context.Background(), family, int64(steps), 1000)
		if !ok {
			t.Fatal("not enumerated")
		}
		y, err := f(context.Background(), 96, func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) })
		width, _ := interval.Prec(64).Sub(interval.Point(y.Hi()), interval.Point(y.Lo())).Hi().Float64()
		if err != nil || !y.ContainsRat(want) || width > 1e-20 {
			t.Errorf("%v, %d steps at α = %v: %v, the best policy has %v", family, steps, alpha, y, want)
		}
		fixed := new(big.Rat)
		for _, a := range family {
			if x := worst([]Finite{a}, steps, alpha, hockey); x.Cmp(fixed) > 0 {
				fixed = x
			}
		}
		if fixed.Cmp(want) < 0 {
			adaptive++
		}
	}
	if adaptive < n/20 {
		t.Errorf("a choice helped in %d families only", adaptive)
	}
	if _, ok := Enumerate(context.Background(), families(r, 2, 3), 4, 10); ok {
		t.Error("more ways than were allowed")
	}
}

// TestBoundsHoldAllPolicies: the best policy is between the bounds, on coarse grids, too; with something before it
// that policies see, and with something after it.
func TestBoundsHoldAllPolicies(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range testkit.Draws(6, 10, 20) {
		family := families(r, 1+r.Intn(3), 2+r.Intn(2))
		var pairs []*Pair
		for _, f := range family {
			pairs = append(pairs, f.pair())
		}
		steps := 1 + r.Intn(3)
		prob := Problem{Above: pairs, Below: pairs, Steps: int64(steps)}
		before := []Finite{{[]*big.Rat{big.NewRat(1, 1)}, []*big.Rat{big.NewRat(1, 1)}}}
		if r.Intn(2) == 0 {
			before = families(r, 1, 2)
			prob.Before, prob.After = before[0].pair(), before[0].pair()
		}
		set := Settings{Length: 1 << (7 + r.Intn(3)), Prec: 96, Cut: 30, Delta: big.NewRat(1, 1000)}
		b, ok, err := Solve(context.Background(), prob, set)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		for range 4 {
			alpha := big.NewRat(1+int64(r.Intn(60)), 1+int64(r.Intn(20)))
			eps := func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) }
			after := func(a *big.Rat) *big.Rat { return worst(before, 1, a, hockey) }
			first := before[0].at(alpha, func(a *big.Rat) *big.Rat { return worst(family, steps, a, hockey) })
			last := worst(family, steps, alpha, after)
			above, _ := b.Above(context.Background(), 96, eps)
			below, _ := b.Below(context.Background(), 96, eps)
			if last.Cmp(first) > 0 {
				t.Errorf("what is seen by nobody helps: %v against %v", last, first)
			}
			if !above.ContainsRat(first) || !below.ContainsRat(last) {
				t.Errorf("%d steps at α = %v: %v and %v are not within %v and %v",
					steps, alpha.RatString(), last.FloatString(12), first.FloatString(12), above, below)
			}
		}
	}
}

// exactly is a float64 as a number of many digits.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }

// exp encloses e^(x·k) between numbers of many digits.
func exp(x float64, k int) (lo, hi *big.Float) {
	const w = interval.Prec(200)
	y := w.Exp(w.Mul(double.Exactly(x), interval.Int(int64(k))))
	return y.Lo().SetPrec(2000), y.Hi().SetPrec(2000)
}

// TestStepsAreOnTheirSide: one step of an induction, on numbers of very different sizes, is nowhere on the wrong side
// of the sums that it stands for, which are added up without rounding: within the grid, before it and after it.
func TestStepsAreOnTheirSide(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, tilt := range []float64{0, 0.25} {
		g := &grid{first: -20, n: 50, delta: 0.125, tilt: tilt, t: double.NewTransform(128)}
		for _, above := range []bool{true, false} {
			most := map[bool]float64{true: 0.05, false: 2}[above] // so that V ≤ 1 and V ≥ 1 − α do not hide the sums
			var tables []Table
			for range 3 {
				tab := Table{first: -9, mass: make([]float64, 19), infinite: 0x1p-30 * r.Float64()}
				for i := range tab.mass {
					tab.mass[i] = most * r.Float64() * math.Exp2(-40*r.Float64())
				}
				tables = append(tables, tab)
			}
			s := g.newSide(above)
			v := make([]*big.Float, g.n) // what V is on its side at least, or at most
			least := 1.0
			for m := range s.v {
				least *= 0.5 + r.Float64()/2
				lo, hi := exp(tilt, g.first+m)
				s.v[m] = least * double.Exp64(tilt*float64(g.first+m))
				if v[m] = new(big.Float).Quo(exactly(s.v[m]), hi); !above {
					v[m].Quo(exactly(s.v[m]), lo)
				}
			}
			var moves []*move
			for _, tab := range tables {
				if !g.fits(tab) {
					t.Fatal("does not fit")
				}
				if above {
					moves = append(moves, g.above(tab))
				} else {
					moves = append(moves, g.below(tab))
				}
			}
			s.step(g.family(moves))
			for m := range s.v {
				most := new(big.Float).SetPrec(2000)
				for _, tab := range tables {
					sum := exactly(tab.infinite)
					for k, p := range tab.mass {
						at := m - (tab.first + k)
						x := exactly(1)
						switch {
						case at >= g.n && above:
							x = v[g.n-1]
						case at >= g.n:
							x = exactly(0)
						case at >= 0:
							x = v[at]
						case !above:
							_, alpha := exp(g.delta, g.first+at)
							x.Sub(x, alpha)
						default: // the chord from V(0) = 1
							part, _ := exp(g.delta, at)
							x.Sub(x, part.Mul(part, new(big.Float).Sub(x, v[0])))
						}
						sum.Add(sum, new(big.Float).Mul(exactly(p), x))
					}
					if sum.Cmp(most) > 0 {
						most = sum
					}
				}
				if above && most.Cmp(exactly(1)) > 0 {
					most = exactly(1)
				}
				got := s.at(m)
				if above && exactly(got.Hi).Cmp(most) < 0 {
					t.Errorf("tilt %v, point %d: %v is less than %v", tilt, m, got.Hi, most.Text('g', 20))
				}
				plain, _ := exp(g.delta, g.first+m)
				plain.Sub(exactly(1), plain)
				if low := exactly(got.Lo); !above && low.Cmp(most) > 0 && low.Cmp(plain) > 0 {
					t.Errorf("tilt %v, point %d: %v is more than %v", tilt, m, got.Lo, most.Text('g', 20))
				}
			}
		}
	}
}

// TestConvolutionsWithinTheirError: entries of convolutions are within the error that is said of them, which is no
// more than a few thousand times what is seen.
func TestConvolutionsWithinTheirError(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, n := range []int{8, 64, 256} {
		g := &grid{n: n / 2, t: double.NewTransform(n)}
		number := func() float64 { return r.Float64() * math.Exp2(float64(-r.Intn(60))) }
		moves := []*move{{mass: make([]float64, n)}, {mass: make([]float64, n)}}
		for _, m := range moves {
			for k := range n / 2 {
				m.mass[k] = number()
				m.norm2 += m.mass[k] * m.mass[k]
			}
		}
		v := make([]float64, g.n)
		for i := range v {
			v[i] = number()
		}
		room := [2][]complex128{make([]complex128, n), make([]complex128, n)}
		worst, bound := 0.0, 0.0
		g.convolve(g.family(moves), v, &room, func(m *move, err float64, c []complex128, imaginary bool) {
			bound = max(bound, err)
			for i, x := range c {
				sum := new(big.Float).SetPrec(2000)
				for j := range i + 1 {
					sum.Add(sum, new(big.Float).Mul(exactly(m.mass[i-j]), exactly(v[j])))
				}
				y := real(x)
				if imaginary {
					y = imag(x)
				}
				y /= float64(n)
				d, _ := sum.Sub(sum, exactly(y)).Float64()
				if worst = max(worst, math.Abs(d)); math.Abs(d) > err {
					t.Errorf("n = %d: entry %d is off by %g, more than %g", n, i, d, err)
				}
			}
		})
		if bound > 4000*worst {
			t.Errorf("n = %d: errors of %g are bounded by %g", n, worst, bound)
		}
	}
}

// TestTablesAreOnTheirSide: the profile of a table is nowhere on the wrong side of the profile that it stands for:
// next to points of the grid, and between them.
func TestTablesAreOnTheirSide(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	found := 0
	n := testkit.Draws(10, 30, 30)
	for range n {
		f := families(r, 1, 2+r.Intn(3))[0]
		x := f.pair()
		delta := 0.05 + r.Float64()/4
		v, err := newValues(context.Background(), x.Profile, new(big.Rat).SetFloat64(delta), -20, 20, 96)
		if err != nil {
			t.Fatal(err)
		}
		at := func(tab Table, alpha *big.Rat) *big.Rat { // and by how little it is known
			a := new(big.Float).SetPrec(300).SetRat(alpha)
			sum := new(big.Float).SetPrec(300).SetFloat64(tab.infinite)
			for i, m := range tab.mass {
				lo, _ := exp(delta, tab.first+i)
				if d := new(big.Float).SetPrec(300).Quo(a, lo); d.Cmp(big.NewFloat(1)) < 0 {
					d.Sub(big.NewFloat(1).SetPrec(300), d)
					sum.Add(sum, d.Mul(d, exactly(m)))
				}
			}
			out, _ := sum.Rat(nil)
			return out
		}
		tiny := interval.Pow2(-150)
		above := v.above()
		below, ok := v.below(x.Infinite, 30)
		if ok {
			found++
		}
		for i := range 60 {
			alpha := new(big.Rat).SetFloat64(double.Exp64(6*r.Float64() - 3))
			if i%3 == 0 { // near a corner
				k := r.Intn(len(f.P))
				if f.P[k].Sign() == 0 || f.Q[k].Sign() == 0 {
					continue
				}
				alpha.Quo(f.P[k], f.Q[k])
			}
			want := new(big.Rat)
			for k, p := range f.P {
				if d := new(big.Rat).Sub(p, new(big.Rat).Mul(alpha, f.Q[k])); d.Sign() > 0 {
					want.Add(want, d)
				}
			}
			if got := at(above, alpha); new(big.Rat).Add(got, tiny).Cmp(want) < 0 {
				t.Errorf("%v, Δ = %v: the table above has %v at %v, the pair %v", f, delta,
					got.FloatString(20), alpha.FloatString(6), want.FloatString(20))
			}
			if got := at(below, alpha); ok && got.Sub(got, tiny).Cmp(want) > 0 {
				t.Errorf("%v, Δ = %v: the table below has %v at %v, the pair %v", f, delta,
					got.FloatString(20), alpha.FloatString(6), want.FloatString(20))
			}
		}
	}
	if found < n/3 {
		t.Errorf("%d tables from below", found)
	}
}

// TestPointsBesideARatio: a point before an ε is not after it, and one after it not before it, where the ε is known to
// a few bits only, too.
func TestPointsBesideARatio(t *testing.T) {
	g := grid{first: -7, n: 15, delta: 0.375}
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		x := float64(r.Intn(15)-7)*0.375 + r.NormFloat64()*math.Exp2(float64(-r.Intn(60)))
		in := interval.Bounds(big.NewFloat(x), big.NewFloat(x+math.Exp2(float64(-r.Intn(40)))))
		if i, ok := g.before(in); ok && g.point(i).LessEq(in.Lower()) != interval.True {
			t.Errorf("point %d is not before %v", i, in)
		}
		if i, ok := g.after(in); ok && in.Upper().LessEq(g.point(i)) != interval.True {
			t.Errorf("point %d is not after %v", i, in)
		}
	}
}
