// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package allocation

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// number is the rational number that a float64 is.
func number(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

func times(xs ...*big.Rat) *big.Rat {
	out := big.NewRat(1, 1)
	for _, x := range xs {
		out.Mul(out, x)
	}
	return out
}

// chainOf is a chain of a few points for steps steps.
func chainOf(t *testing.T, steps int64) *chain {
	b, ok := newBase(pair.Gaussian{Mu2: big.NewRat(1, 1)}, 128)
	if !ok {
		t.Fatal("no tails")
	}
	return newChain(t.Context(), b, steps, Settings{Points: 24, Prec: 64, Cut: 40})
}

// randomSpread is a law on some places of the grid of a block.
func randomSpread(c *chain, rng *rand.Rand, steps int64) spread {
	s := spread{steps: steps, lost: 0x1p-70, far: 0x1p-68 * c.inUnit}
	for _, x := range c.grid(steps) {
		if rng.IntN(5) > 0 {
			s.place, s.mass = append(s.place, x), append(s.mass, rng.Float64()/30)
		}
	}
	return s
}

// TestSpreadWrittenOut: the sum of two blocks, in rational numbers, is at least the masses that addSpread returns and
// at most e^slack times as much, place by place; what is beyond the grid is counted in full.
func TestSpreadWrittenOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		c := chainOf(t, 12)
		a, b := randomSpread(c, rng, 2), randomSpread(c, rng, 4)
		out := c.addSpread(a, b)
		g := c.grid(6)
		want := make(map[float64]*big.Rat)
		for _, x := range g {
			want[x] = new(big.Rat)
		}
		lost, far := number(a.lost+b.lost), number(a.far+b.far)
		rest := times(big.NewRat(6, 1), number(c.inUnit))
		for i, x := range a.place {
			for k, y := range b.place {
				at, m := new(big.Rat).Add(number(x), number(y)), times(number(a.mass[i]), number(b.mass[k]))
				if at.Cmp(number(g[len(g)-1])) >= 0 {
					lost.Add(lost, m)
					far.Add(far, times(m, at.Add(at, rest)))
					continue
				}
				j := 0
				for number(g[j+1]).Cmp(at) <= 0 {
					j++
				}
				lo, hi := number(g[j]), number(g[j+1])
				share := new(big.Rat).Sub(at, lo)
				share.Quo(share, new(big.Rat).Sub(hi, lo))
				up := times(m, share)
				want[g[j+1]].Add(want[g[j+1]], up)
				want[g[j]].Add(want[g[j]], m.Sub(m, up))
			}
		}
		most := number(1 + 2*out.slack)
		for i, x := range out.place {
			m := number(out.mass[i])
			if m.Cmp(want[x]) > 0 || times(m, most).Cmp(want[x]) < 0 {
				t.Errorf("mass %v at %v, want %s", out.mass[i], x, want[x].FloatString(20))
			}
		}
		if number(out.lost).Cmp(lost) < 0 || number(out.far).Cmp(far) < 0 {
			t.Errorf("%v and %v left out, want at least %s and %s", out.lost, out.far, lost.FloatString(30), far.FloatString(30))
		}
		if !(out.slack < 1e-13) {
			t.Errorf("slack %v", out.slack)
		}
	}
}

// TestLeftOutIsCounted: masses that are too small count as left out, with all that the other steps may have.
func TestLeftOutIsCounted(t *testing.T) {
	c := chainOf(t, 12)
	s := spread{steps: 2}
	s.put(c, 3*c.inUnit, 0x1p-390)
	if len(s.mass) != 0 || s.lost < 0x1p-390 || s.far < 13*0x1p-390*c.inUnit {
		t.Errorf("%v", s)
	}
	s.put(c, 3*c.inUnit, 0x1p-10)
	if len(s.mass) != 1 {
		t.Errorf("%v", s)
	}
}

// TestGroupsWrittenOut: the groups of two blocks, in rational numbers, are within a factor e^±slack.
func TestGroupsWrittenOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		c := chainOf(t, 12)
		random := func(steps int64) grouped {
			s := grouped{steps: steps}
			for _, x := range c.grid(steps)[1:] {
				m := rng.Float64() / 30
				s.place, s.mass, s.sum = append(s.place, x), append(s.mass, m), append(s.sum, x*m)
			}
			return s
		}
		a, b := random(2), random(4)
		out := c.addGroups(a, b)
		g := c.grid(6)
		mass, sum := make([]*big.Rat, len(g)), make([]*big.Rat, len(g))
		for j := range g {
			mass[j], sum[j] = new(big.Rat), new(big.Rat)
		}
		for i := range a.place {
			for k := range b.place {
				j := 0
				for j+1 < len(g) && g[j+1] <= a.place[i]+b.place[k] {
					j++
				}
				mass[j].Add(mass[j], times(number(a.mass[i]), number(b.mass[k])))
				sum[j].Add(sum[j], times(number(a.sum[i]), number(b.mass[k])))
				sum[j].Add(sum[j], times(number(a.mass[i]), number(b.sum[k])))
			}
		}
		at := 0
		near := func(x float64, want *big.Rat) bool {
			return times(number(x), number(1-out.slack)).Cmp(want) <= 0 && times(number(x), number(1+2*out.slack)).Cmp(want) >= 0
		}
		for j := range g {
			if mass[j].Sign() == 0 {
				continue
			}
			if at == len(out.mass) || !near(out.mass[at], mass[j]) || !near(out.sum[at], sum[j]) {
				t.Fatalf("group %d is not within %v", j, out.slack)
			}
			at++
		}
		if !(out.slack < 1e-13) || at != len(out.mass) {
			t.Errorf("slack %v, %d groups", out.slack, at)
		}
	}
}

// TestGridsAreExact: places are integers below 2^51, in ascending order from 0.
func TestGridsAreExact(t *testing.T) {
	for _, steps := range []int64{2, 1000, 1e9} {
		c := chainOf(t, steps)
		for m := int64(1); m <= steps; m *= 2 {
			g := c.grid(m)
			for i, x := range g {
				if x != math.Trunc(x) || x > 0x1p51 || i == 0 && x != 0 || i > 0 && x <= g[i-1] {
					t.Fatalf("%d steps, place %d is %v", m, i, x)
				}
			}
		}
	}
}

// TestManySteps: values of other enclosures, by finer lattices, and of little noise by a program of its own.
func TestManySteps(t *testing.T) {
	for _, c := range []struct {
		mu2     string
		steps   int64
		eps     string
		between [2]string
	}{
		{"1", 1000, "0.1388", [2]string{"1.00329e-5", "1.00356e-5"}},
		{"4", 10000, "1", [2]string{"1.70883e-5", "1.70951e-5"}},
	} {
		l, ok, err := New(t.Context(), pair.Gaussian{Mu2: rat(c.mu2)}, c.steps, Settings{Points: 512, Prec: 123, Cut: 40})
		if !ok || err != nil {
			t.Fatal(err)
		}
		y, err := l.Profile(false)(t.Context(), 40, interval.RealRat(rat(c.eps)))
		if err != nil || y.Lower().LessRat(rat(c.between[0])) != interval.True || y.Upper().LessRat(rat(c.between[1])) == interval.True || y.RelativeBits(20) < 6 {
			t.Errorf("δ(%s) of one of %d steps in %v, want within %v", c.eps, c.steps, y, c.between)
		}
	}
}

// TestDominatingOfLooseMasses: whatever the masses of the larger law are within what is known of them, the pair made of
// the known ones dominates, in either direction, and is a pair of distributions but for rounding.
func TestDominatingOfLooseMasses(t *testing.T) {
	const w = interval.Prec(200)
	rng := rand.New(rand.NewPCG(7, 33))
	for range 40 {
		slack := []float64{0x1p-40, 0.1, 1}[rng.IntN(3)]
		n := 1 + rng.IntN(6)
		l := &Law{unit: big.NewRat(1, 64), upper: spread{slack: slack}}
		truth := make(map[float64]*big.Rat)
		left := uint64(1) << 20
		for i := range n { // places 64 ± d, of equal masses
			m := left / 2
			if i < n-1 {
				m = rng.Uint64N(left/2 + 1)
			}
			left -= 2 * m
			d := float64(rng.IntN(65))
			for _, s := range []float64{64 - d, 64 + d} {
				if truth[s] == nil {
					truth[s] = new(big.Rat)
				}
				truth[s].Add(truth[s], new(big.Rat).SetFrac64(int64(m), 1<<20))
			}
		}
		for s := range 129 {
			if m, ok := truth[float64(s)]; ok && m.Sign() > 0 {
				x, _ := m.Float64() // exactly
				l.upper.place = append(l.upper.place, float64(s))
				l.upper.mass = append(l.upper.mass, x*math.Exp(-slack*0.999*rng.Float64()))
			}
		}
		for _, reversed := range []bool{false, true} {
			os := l.Dominating(w, reversed)
			for _, alpha := range rats("1/100", "1/2", "9/10", "1", "11/10", "3/2", "2") {
				want := new(big.Rat)
				for s, m := range truth {
					p, q := new(big.Rat).Mul(m, new(big.Rat).Quo(number(s), big.NewRat(64, 1))), m
					if reversed {
						p, q = q, p
					}
					if d := new(big.Rat).Sub(p, new(big.Rat).Mul(alpha, q)); d.Sign() > 0 {
						want.Add(want, d)
					}
				}
				sum, total := interval.Int(0), interval.Int(0)
				for _, o := range os {
					if reversed {
						o.P, o.Q = o.Q, o.P
					}
					total = w.Add(total, o.P)
					sum = w.Add(sum, interval.Max(interval.Int(0), w.Sub(o.P, w.Mul(w.Rat(alpha), o.Q))))
				}
				if sum.Upper().LessRat(want) == interval.True || total.Lower().LessEqRat(big.NewRat(1, 1)) != interval.True {
					t.Errorf("slack %v, reversed %v: δ = %s at α = %s, want %s; in all %s", slack, reversed, sum, alpha.RatString(), want.FloatString(12), total)
				}
			}
		}
	}
}
