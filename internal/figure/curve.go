// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

// A Curve is a quantity over another.
type Curve struct {
	Name   string
	Shape  Shape
	Points []Point // in any order
}
