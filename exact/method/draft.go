// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

// A Draft says how much of the work of effort 0 is done for a first answer. Its
// enclosures contain the truth like all others; they are wide. A draft needs a fraction of
// a second where a sharp method needs many.
type Draft int

// The drafts. Each has the methods of all before it.
const (
	// Settled is no draft: all methods that the effort calls for.
	Settled Draft = iota
	// Instant is closed forms, basic composition, and single factors.
	Instant
	// ByMoments adds Rényi divergences of a few orders.
	ByMoments
	// Coarse adds one grid, or what else bounds a product from both sides.
	Coarse

	never // for a method that no draft takes
)

// Drafts lists the drafts, the fastest one first.
var Drafts = []Draft{Instant, ByMoments, Coarse}

// DraftBits is how many leading bits of ε a draft settles.
const DraftBits = 10
