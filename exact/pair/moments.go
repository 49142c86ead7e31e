// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

func (p Product) Moments() Product {
	out := make(Product, len(p))
	for i, t := range p {
		switch x := t.Pair.(type) {
		case Logistic:
			t.Pair = BoundedRange{Eps: x.Shift}
		case Repeated:
			if x.Aim == nil {
				x.Base = x.Base.Moments()
				t.Pair = RepeatedDivergence{x}
			}
		case Sampled:
			x.Base = x.Base.Moments()
			t.Pair = x
		case Mean:
			t.Pair = Mean{x.Shares, after(Product.Moments, x.Of)}
		case Maximum:
			t.Pair = Maximum{after(Product.Moments, x.Of)}
		}
		out[i] = t
	}
	return out
}
