// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package adversary

import (
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

// greatest is the pair of the greatest of the profiles of a family: at each kink of it there is the mass that the
// change of its slope says.
func greatest(family []Finite) (out Finite) {
	one := big.NewRat(1, 1)
	var kinks []*big.Rat
	add := func(x *big.Rat) {
		if x.Sign() > 0 && !slices.ContainsFunc(kinks, func(y *big.Rat) bool { return x.Cmp(y) == 0 }) {
			kinks = append(kinks, x)
		}
	}
	for _, f := range family {
		for k, p := range f.P {
			if f.Q[k].Sign() > 0 {
				add(new(big.Rat).Quo(p, f.Q[k]))
			}
		}
	}
	slices.SortFunc(kinks, (*big.Rat).Cmp)
	from := new(big.Rat)
	for _, to := range slices.Clone(kinks) { // where two of them cross
		for _, f := range family {
			for _, g := range family {
				a := new(big.Rat).Sub(f.at(from, hockey), g.at(from, hockey))
				b := new(big.Rat).Sub(f.at(to, hockey), g.at(to, hockey))
				if a.Sign()*b.Sign() < 0 {
					part := new(big.Rat).Quo(a, new(big.Rat).Sub(a, b))
					add(part.Add(from, part.Mul(part, new(big.Rat).Sub(to, from))))
				}
			}
		}
		from = to
	}
	slices.SortFunc(kinks, (*big.Rat).Cmp)
	value := func(a *big.Rat) *big.Rat {
		most := new(big.Rat)
		for _, f := range family {
			if y := f.at(a, hockey); y.Cmp(most) > 0 {
				most = y
			}
		}
		return most
	}
	slopes, last, at := []*big.Rat{}, one, new(big.Rat)
	for _, x := range kinks {
		y := value(x)
		slopes = append(slopes, new(big.Rat).Quo(new(big.Rat).Sub(y, last), new(big.Rat).Sub(x, at)))
		last, at = y, x
	}
	slopes = append(slopes, new(big.Rat))
	for k, x := range kinks {
		q := new(big.Rat).Sub(slopes[k+1], slopes[k])
		out.P, out.Q = append(out.P, new(big.Rat).Mul(q, x)), append(out.Q, q)
	}
	out.P, out.Q = append(out.P, last), append(out.Q, new(big.Rat)) // of infinite loss
	return out
}

// TestBetweenFixedChoicesAndTheGreatestProfile: an adversary has at least what each fixed sequence of choices has, and
// at most what the pair of the greatest profile has, composed, in rationals; so have the recursion by enumeration and
// the bounds on a grid. The families are the orientations of a pair, the members of a maximum, pairs with their
// mirrors, the ends of a range of ratios, and a pair with a failure.
func TestBetweenFixedChoicesAndTheGreatestProfile(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	one := big.NewRat(1, 1)
	kinds := []func() []Finite{
		func() []Finite {
			f := families(r, 1, 2+r.Intn(2))[0]
			return []Finite{f, {f.Q, f.P}}
		},
		func() []Finite { return families(r, 3, 2+r.Intn(2)) },
		func() []Finite {
			fs := families(r, 2, 2)
			return append(fs, Finite{fs[0].Q, fs[0].P}, Finite{fs[1].Q, fs[1].P})
		},
		func() (out []Finite) { // of two outcomes whose ratios are ρ and 1 or 1 and 1/ρ
			rho := big.NewRat(3+int64(r.Intn(9)), 2)
			for range 3 {
				p := new(big.Rat).Quo(big.NewRat(int64(1+r.Intn(9)), 10), rho)
				q := new(big.Rat).Mul(p, rho)
				x := Finite{[]*big.Rat{q, new(big.Rat).Sub(one, q)}, []*big.Rat{p, new(big.Rat).Sub(one, p)}}
				out = append(out, x)
			}
			return out
		},
		func() []Finite {
			f, fail := families(r, 1, 2)[0], big.NewRat(int64(1+r.Intn(4)), 40)
			keep := new(big.Rat).Sub(one, fail)
			for k := range f.P {
				f.P[k], f.Q[k] = new(big.Rat).Mul(keep, f.P[k]), new(big.Rat).Mul(keep, f.Q[k])
			}
			f.P, f.Q = append(f.P, fail, new(big.Rat)), append(f.Q, new(big.Rat), fail)
			return []Finite{f, {f.Q, f.P}}
		},
	}
	strict := [2]int{}
	n := testkit.Draws(50, 100, 100)
	for i := range n {
		family := kinds[i%len(kinds)]()
		steps := 2 + r.Intn(2)
		top := greatest(family)
		alpha := big.NewRat(int64(5+r.Intn(12)), 8)
		all, most := worst(family, steps, alpha, hockey), worst([]Finite{top}, steps, alpha, hockey)
		fixed := new(big.Rat)
		sequence := make([]int, steps)
		for done := false; !done; {
			v := hockey
			for _, k := range sequence {
				next := v
				v = func(a *big.Rat) *big.Rat { return family[k].at(a, next) }
			}
			if x := v(alpha); x.Cmp(fixed) > 0 {
				fixed = x
			}
			done = true
			for k := range sequence {
				if sequence[k]++; sequence[k] < len(family) {
					done = false
					break
				}
				sequence[k] = 0
			}
		}
		for k, c := range []int{all.Cmp(fixed), most.Cmp(all)} {
			if c < 0 {
				t.Errorf("%v, %d steps at α = %v: fixed %v, chosen %v, the greatest profile %v", family, steps, alpha,
					fixed, all, most)
			}
			strict[k] += c
		}
		eps := func(w interval.Prec) interval.Interval { return w.Log(w.Rat(alpha)) }
		within := func(name string, above, below interval.Interval) {
			if above.LessRat(fixed) == interval.True || below.Lo().Cmp(new(big.Float).SetPrec(300).SetRat(most)) > 0 {
				t.Errorf("%s of %v, %d steps at α = %v: %v and %v, fixed %v, the greatest profile %v", name, family, steps,
					alpha, above, below, fixed, most)
			}
		}
		f, ok := Enumerate(context.Background(), family, int64(steps), 1<<12)
		if !ok {
			t.Fatal("not enumerated")
		}
		y, _ := f(context.Background(), 96, eps)
		within("enumeration", y, y)
		if i%10 > 0 {
			continue
		}
		var pairs []*Pair
		for _, f := range family {
			pairs = append(pairs, f.pair())
		}
		set := Settings{Length: 1 << 9, Prec: 96, Cut: 30, Delta: big.NewRat(1, 1000)}
		b, ok, err := Solve(context.Background(), Problem{Above: pairs, Below: pairs, Steps: int64(steps)}, set)
		if !ok || err != nil {
			continue // a failure is infinite in the other orientation
		}
		above, _ := b.Above(context.Background(), 96, eps)
		below, _ := b.Below(context.Background(), 96, eps)
		within("the grid", above, below)
	}
	if strict[0] < n/25 || strict[1] < n/10 {
		t.Errorf("a choice helps in %d families, and less than the greatest profile in %d", strict[0], strict[1])
	}
}
