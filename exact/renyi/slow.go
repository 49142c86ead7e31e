// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package renyi

import "dpverify/exact/pair"

// Slow reports whether divergences of a product take longer than other bounds of it. The divergences of allocations
// are integrals. Those of shuffled reports and of draws with replacement are long sums. Selections and these draws
// have sharper methods.
func Slow(prod pair.Product) bool {
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case pair.Allocation:
			if x.Reversed {
				return true
			}
		case pair.Reports, pair.LocalReports, pair.Reported, pair.Repeated, pair.WithReplacement:
			return true
		}
		for _, p := range pair.Parts(t.Pair) {
			if Slow(p) {
				return true
			}
		}
	}
	return false
}
