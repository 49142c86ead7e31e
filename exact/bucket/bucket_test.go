// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package bucket

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"dpverify/exact/convolve"
	"dpverify/exact/interval"
)

// drawMasses draws up to so many masses between buckets −n and n, of sum at most 1 if
// sub, and perhaps more otherwise.
func drawMasses(r *rand.Rand, n int, prec uint, sub bool) *masses {
	first := r.Intn(2*n+1) - n
	m := newMasses(first, 1+r.Intn(n-first+1), prec)
	most := one(prec)
	if sub {
		most.Quo(most, big.NewInt(int64(m.v.Len())))
	}
	for i := range m.v.Len() {
		switch r.Intn(4) {
		case 0:
			m.v.Set(i, most)
		case 1, 2:
			m.v.Set(i, new(big.Int).Rand(r, new(big.Int).Add(most, big.NewInt(1))))
		}
	}
	return m
}

// clone copies masses, with the memory around them, which is given other contents.
func clone(m *masses) *masses {
	v := convolve.NewVector(m.v.Len()+7, m.v.Prec())
	for i := range v.Len() {
		v.Set(i, big.NewInt(1))
	}
	out := &masses{m.first, v.Slice(3, 3+m.v.Len()), v}
	for i := range m.v.Len() {
		out.v.Set(i, m.v.At(i))
	}
	return out
}

func sameMasses(a, b *masses) bool {
	if a.first != b.first || a.v.Len() != b.v.Len() {
		return false
	}
	for i := a.first; i <= a.last(); i++ {
		if a.at(i).Cmp(b.at(i)) != 0 {
			return false
		}
	}
	return true
}

// TestMassesInTheirMemory: masses get more buckets, and greater entries, in their own memory where it is large enough.
func TestMassesInTheirMemory(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range 300 {
		prec := []uint{16, 64, 128, 125}[r.Intn(4)]
		m := drawMasses(r, 20, prec, true)
		narrow := clone(m)
		narrow.whole = convolve.NewNarrow(narrow.whole.Len(), prec)
		narrow.v = narrow.whole.Slice(3, 3+m.v.Len())
		for i := range m.v.Len() {
			if x := m.v.At(i); narrow.v.Fits(x) {
				narrow.v.Set(i, x)
			} else {
				narrow.set(i, x)
			}
		}
		for _, x := range []*masses{clone(m), narrow, {m.first, m.v.Clone(), convolve.Vector{}}} {
			first := m.first - r.Intn(12)
			x.extend(first)
			if x.first != first || x.last() != m.last() {
				t.Fatalf("buckets %d…%d, want %d…%d", x.first, x.last(), first, m.last())
			}
			for i := first - 1; i <= m.last()+1; i++ {
				if x.at(i).Cmp(m.at(i)) != 0 {
					t.Fatalf("%d bits: bucket %d holds %s, want %s", prec, i, x.at(i), m.at(i))
				}
			}
			k := r.Intn(x.v.Len())
			x.set(k, one(prec))
			for i := first; i <= m.last(); i++ {
				want := m.at(i)
				if i == first+k {
					want = one(prec)
				}
				if x.at(i).Cmp(want) != 0 {
					t.Fatalf("%d bits: bucket %d holds %s, want %s", prec, i, x.at(i), want)
				}
			}
			halved := x.halve(r.Intn(2) == 0)
			sum := new(big.Int)
			for i := halved.first; i <= halved.last(); i++ {
				sum.Add(sum, halved.at(i))
			}
			rest := new(big.Int).Add(m.v.Sum(), one(prec))
			if rest.Sub(rest, m.at(first+k)); sum.Cmp(rest) != 0 {
				t.Fatalf("%d bits: halves sum to %s, want %s", prec, sum, rest)
			}
		}
	}
}

// TestHalvesOfNarrowMasses: two masses of 1/2 make 1, which a narrow vector has no room for.
func TestHalvesOfNarrowMasses(t *testing.T) {
	m := massesOf(1, convolve.NewNarrow(4, 64))
	for i := range 2 {
		m.v.Set(i, one(63))
	}
	if h := m.halve(true); h.at(1).Cmp(one(64)) != 0 || h.at(2).Sign() != 0 || h.last() != 2 {
		t.Errorf("1/2 and 1/2 make %s", h.at(1))
	}
}

// TestClippedProduct: entries, both tails and rounding equal the double sum's,
// by transforms and without.
func TestClippedProduct(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		n := []int{2, 4, 10, 70, 200}[r.Intn(5)]
		prec := []uint{2, 16, 61, 64, 125}[r.Intn(5)]
		a := drawMasses(r, n, prec, true)
		b := drawMasses(r, n, prec, true)
		if r.Intn(3) == 0 {
			b = a
		}
		want := make(map[int]*big.Int)
		over, under := new(big.Int), new(big.Int)
		for j := a.first; j <= a.last(); j++ {
			for k := b.first; k <= b.last(); k++ {
				x := new(big.Int).Mul(a.at(j), b.at(k))
				if j+k > n {
					over.Add(over, x)
					continue
				}
				if j+k <= -n {
					under.Add(under, x)
				}
				i := max(j+k, -n)
				if want[i] == nil {
					want[i] = new(big.Int)
				}
				want[i].Add(want[i], x)
			}
		}
		if x := overflow(a, b, n); x.Cmp(over) != 0 {
			t.Fatalf("overflow %s, want %s", x, over)
		}
		if x := underflow(a, b, n); x.Cmp(under) != 0 {
			t.Fatalf("underflow %s, want %s", x, under)
		}
		for _, dir := range []convolve.Rounding{convolve.Down, convolve.Up} {
			spent := r.Intn(2) == 0
			x, y := clone(a), b
			if a == b {
				y = x
			}
			c, err := product(context.Background(), x, y, n, dir, spent)
			if err != nil {
				t.Fatal(err)
			}
			if !spent && !sameMasses(x, a) {
				t.Fatal("an operand has changed")
			}
			for i := -n - 2; i <= n+2; i++ {
				x := want[i]
				if x == nil {
					x = new(big.Int)
				}
				q, rest := new(big.Int).QuoRem(x, one(prec), new(big.Int))
				if dir == convolve.Up && rest.Sign() > 0 {
					q.Add(q, big.NewInt(1))
				}
				if c.at(i).Cmp(q) != 0 {
					t.Fatalf("n = %d, %d bits: entry %d is %s, want %s", n, prec, i, c.at(i), q)
				}
			}
		}
	}
}

// TestDiscountedSum: the sum by Horner's rule contains the sum term by term, and is
// about as narrow as its proof says.
func TestDiscountedSum(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 200 {
		prec := []uint{2, 16, 61, 128}[r.Intn(4)]
		m := drawMasses(r, 40, prec, r.Intn(2) == 0)
		eta := rat([]string{"1", "1/3", "1/1000000", "30", "1000"}[r.Intn(5)])
		from, to := r.Intn(100)-50, r.Intn(100)-50
		for _, s := range []int{1, -1} {
			want := interval.Interval{}
			a, b := max(from, m.first), min(to, m.last()+1)
			for i := a; i < b; i++ {
				d := i - a
				if s < 0 {
					d = b - 1 - i
				}
				want = lit.Add(want, lit.Mul(lit.BigInt(m.at(i)), lit.Exp(lit.Rat(times(-d, eta)))))
			}
			got := m.discounted(eta, from, to, s)
			if !got.Encloses(want) && (exceeds(got, want) || exceeds(want, got)) {
				t.Fatalf("%d…%d, η = %s, s = %d: %s, want %s", from, to, eta.RatString(), s, got, want)
			}
			if width := lit.Sub(interval.Point(got.Hi()), interval.Point(got.Lo())); width.LessEqRat(rat("1/1000000")) != interval.True {
				t.Fatalf("%s is wide", got)
			}
		}
	}
}

// TestCeilQuo: ⌈x/y⌉ within bounds.
func TestCeilQuo(t *testing.T) {
	for _, c := range []struct {
		x, y string
		want int
	}{
		{"0", "1/3", 0}, {"1", "1/3", 3}, {"1", "2/3", 2}, {"-1", "2/3", -1}, {"-4/3", "2/3", -2},
		{"100000000000000000000000", "1", 9}, {"-100000000000000000000000", "1", -9},
	} {
		if got := ceilQuo(rat(c.x), rat(c.y), -9, 9); got != c.want {
			t.Errorf("⌈%s / %s⌉ = %d, want %d", c.x, c.y, got, c.want)
		}
	}
}

// TestLowerEndOfEpsilon: upper bounds are taken at a rational not above ε, of either
// sign, and close to it.
func TestLowerEndOfEpsilon(t *testing.T) {
	tree := &Tree{}
	for _, s := range []string{"0", "1/3", "-1/3", "7", "-7", "-1/1000000000000000000000000000000000000000000000000000000000000000000", "123456789/1000"} {
		x := rat(s)
		for _, p := range []interval.Prec{2, 64} {
			got, ok := tree.below(p, func(interval.Prec) interval.Interval { return lit.Rat(x) })
			if gap := new(big.Rat).Sub(x, got); !ok || gap.Sign() < 0 || gap.Cmp(pow2(-64)) > 0 {
				t.Errorf("%s from below at %d bits: %s, %v", s, p, got.RatString(), ok)
			}
		}
	}
	if got, ok := tree.below(64, func(interval.Prec) interval.Interval { return interval.Entire() }); ok {
		t.Errorf("an unknown ε is at least %s", got)
	}
	inf := new(big.Float).SetInf(false)
	if got, ok := tree.below(64, func(interval.Prec) interval.Interval { return interval.Bounds(inf, inf) }); !ok || got.Cmp(pow2(60)) < 0 {
		t.Errorf("ε = ∞ is at least %s, %v", got, ok)
	}
}

func (t *Tree) String() string {
	return fmt.Sprintf("Tree(n=%d, η=%s, u=%s, buckets %d…%d)", t.n, t.eta.RatString(), t.u.RatString(),
		t.b.first, t.b.last())
}
