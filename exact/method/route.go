// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

// A Route is a way in which the front door comes to a bound, or to where a search looks for one. All of them are in
// four lists: eventRoutes bound an event by products, methods bound a product, epsilonRoutes bound its ε, and
// searchRoutes shorten the search for that. docs/architecture.md shows the lists.
type Route struct {
	Name    string
	Bounds  Sides
	Applies string // to what
	Cost    string
}

// Sides are the sides from which a route bounds.
type Sides int

const (
	BothSides Sides = iota
	FromAbove       // to 0, or what every profile is at least
	FromBelow       // to 1
	Neither
)

func (s Sides) String() string {
	return [...]string{"both sides", "above", "below", "nothing"}[s]
}
