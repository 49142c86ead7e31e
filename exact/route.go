// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

// A route is a way in which the front door comes to a bound, or to where a search looks for one. All of them are in four lists:
// eventRoutes bound an event by products, methods bound a product, epsilonRoutes bound its ε, and searchRoutes shorten
// the search for that. docs/architecture.md shows the lists.
type route struct {
	name    string
	bounds  sides
	applies string // to what
	cost    string
}

// sides are the sides from which a route bounds.
type sides int

const (
	bothSides sides = iota
	fromAbove       // to 0, or what every profile is at least
	fromBelow       // to 1
	neither
)

func (s sides) String() string {
	return [...]string{"both sides", "above", "below", "nothing"}[s]
}
