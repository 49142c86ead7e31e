// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package blanket

import (
	"math/big"

	"dpverify/exact/pair"
)

// Hidden returns what dominates x where the mass of (p − q)₊/(Ratio − 1) is at most apart, by the privacy blanket of
// the others: see docs/theorems.md, Shuffled reports of a guarantee.
func Hidden(x pair.LocalReports, apart *big.Rat) pair.Reports {
	zero, more := new(big.Rat), new(big.Rat).Mul(apart, x.Ratio)
	alike := new(big.Rat).Sub(ratOne, more)
	alike.Sub(alike, apart)
	alikeOther := new(big.Rat).Quo(alike, x.Ratio)
	rest := new(big.Rat).Sub(ratOne, alikeOther)
	rest.Sub(rest, apart).Sub(rest, apart)
	return pair.NewReports(x.Others, []pair.Report{{P: more, Q: apart, Other: apart}, {P: apart, Q: more, Other: apart},
		{P: alike, Q: alike, Other: alikeOther}, {P: zero, Q: zero, Other: rest}})
}

// Blanketed replaces shuffled reports of any local randomizer by reports that dominate them, by the privacy blanket of
// the others, also in samples, which are post-processings of the same samples of what dominates. It reports false if
// there are none.
func Blanketed(prod pair.Product) (pair.Product, bool) {
	var out pair.Product
	changed := false
	within := func(p pair.Product) pair.Product {
		base, ok := Blanketed(p)
		changed = changed || ok
		return base
	}
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.LocalReports:
			t.Pair, changed = Hidden(x, x.Apart()), true
		case pair.Sampled:
			x.Base = within(x.Base)
			t.Pair = x
		case pair.Mean:
			of := make([]pair.Product, len(x.Of))
			for i, p := range x.Of {
				of[i] = within(p)
			}
			t.Pair = pair.Mean{Shares: x.Shares, Of: of}
		}
		out = append(out, t)
	}
	return out.Merged(), changed
}
