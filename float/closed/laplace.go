// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package closed

import "dpverify/float/value"

// Laplace is the profile of (Lap(x, 1), Lap(0, 1)): 1 − e^m with
// m = min(0, ε, (ε − x)/2) [Balle, Barthe & Gaboardi 2018, Theorem 3, for ε in
// [−x, x]; 0 above, and 1 − e^ε below]. Err: a few u of x + |ε|.
func Laplace(x value.Value) Profile {
	return func(eps value.Value) value.Value {
		m := value.Max(value.Exact(0), value.Max(eps.Neg(), x.Sub(eps).Scale(0.5)))
		return m.Neg().Expm1().Neg().Clamp(0, 1)
	}
}
