// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

// A Curve is a quantity over another.
type Curve struct {
	Name   string
	Shape  Shape
	Points []Point // in any order
	Kind   Kind
}

// A Kind is how sure a curve is, which its line shows.
type Kind int

// Kinds.
const (
	Truth   Kind = iota // encloses the quantity itself: a strong line
	Bound               // encloses what is proved to be beyond it: a thin line
	NoBound             // encloses what may be on either side of it: a dashed line
)
