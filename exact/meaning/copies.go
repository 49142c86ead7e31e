// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import "dpverify/exact/pair"

// Copies returns the factor of which an event is copies, where it does not attain that, and what it attains. It reports
// false of every other event.
func (p Problem) Copies() (term pair.Term, attained []pair.Product, ok bool) {
	f := p.meaning.factors
	if len(f.Choices) > 0 || len(f.Fixed) != 1 || f.Fixed[0].Count < 2 || p.meaning.evidence.wholly() {
		return term, nil, false
	}
	return f.Fixed[0], p.meaning.evidence.witnesses(f), true
}
