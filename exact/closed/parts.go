// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import "dpverify/exact/pair"

// Parts returns sub-products that have a chance of being solved: the Gaussians,
// with and without the discrete factors; the discrete factors; and every other
// factor alone, with as many copies as closed forms take.
func Parts(prod pair.Product) []pair.Product {
	continuous, discrete := prod.SplitDiscrete()
	_, others := continuous.Gaussians()
	var gaussians pair.Product
	for _, t := range continuous {
		if _, ok := t.Pair.(pair.Gaussian); ok {
			gaussians = append(gaussians, t)
		}
	}
	var out []pair.Product
	add := func(p pair.Product) {
		if len(p) > 0 && p.String() != prod.String() {
			out = append(out, p)
		}
	}
	add(gaussians)
	add(discrete)
	if len(gaussians) > 0 && len(discrete) > 0 {
		add(append(append(pair.Product{}, gaussians...), discrete...))
	}
	for _, t := range others {
		if _, ok := t.Pair.(pair.Laplace); ok {
			add(pair.Product{{Pair: t.Pair, Count: min(t.Count, 24)}})
		} else {
			add(pair.Product{{Pair: t.Pair, Count: 1}})
		}
	}
	if len(prod) == 1 && prod.IsDiscrete() {
		add(pair.Product{{Pair: prod[0].Pair, Count: 1}})
	}
	return out
}
