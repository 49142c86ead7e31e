// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package selection

import (
	"context"

	"dpverify/exact/pair"
)

// Factors reports whether some factor is the worst selection at each ε, and whether some is one of a chosen order.
func Factors(prod pair.Product) (worst, chosen bool) {
	for _, t := range prod {
		if x, ok := t.Pair.(pair.Repeated); ok {
			worst, chosen = worst || x.Aim == nil, chosen || x.Aim != nil
			continue // its base is its own affair
		}
		for _, p := range pair.Parts(t.Pair) {
			w, c := Factors(p)
			worst, chosen = worst || w, chosen || c
		}
	}
	return worst, chosen
}

// InOrder replaces each selection of a chosen order by a finite pair that it dominates.
func InOrder(ctx context.Context, prod pair.Product, one func(context.Context,
	pair.Repeated) (pair.Pair, bool, error)) (pair.Product, bool, error) {
	out := make(pair.Product, 0, len(prod))
	for _, t := range prod {
		ok, err := true, error(nil)
		switch x := t.Pair.(type) {
		case pair.Repeated:
			t.Pair, ok, err = one(ctx, x)
		case pair.Sampled:
			x.Base, ok, err = InOrder(ctx, x.Base, one)
			t.Pair = x
		case pair.Mean:
			of := make([]pair.Product, len(x.Of))
			for i, p := range x.Of {
				if of[i], ok, err = InOrder(ctx, p, one); !ok || err != nil {
					return nil, false, err
				}
			}
			t.Pair = pair.Mean{Shares: x.Shares, Of: of}
		default:
			worst, chosen := Factors(pair.Product{t})
			ok = !worst && !chosen
		}
		if !ok || err != nil {
			return nil, false, err
		}
		out = append(out, t)
	}
	return out, true, nil
}
