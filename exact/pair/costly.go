// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

// costly reports pairs whose profile takes long to bound at an ε.
func costly(x Pair) bool {
	switch x := x.(type) {
	case Repeated:
		return x.Aim == nil
	case Reports, LocalReports, WithReplacement, OppositeAllocation:
		return true
	}
	for _, p := range Parts(x) {
		if Costly(p) {
			return true
		}
	}
	return false
}

// Costly reports products with a pair whose profile takes long to bound at an ε.
func Costly(prod Product) bool {
	for _, t := range prod {
		if costly(t.Pair) {
			return true
		}
	}
	return false
}
