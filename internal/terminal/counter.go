// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import "io"

// A Counter shows how many of things are done, from the first on: how many there are is known then.
type Counter struct {
	w    io.Writer
	what string
	p    Steps // nil before the first, and after Close
}

// NewCounter returns a counter of what, in the plural.
func NewCounter(w io.Writer, what string) *Counter { return &Counter{w: w, what: what} }

// Step counts one of all.
func (c *Counter) Step(_, all int) {
	if c.p == nil {
		c.p = NewSteps(c.w, all, 0)
		c.p.Describe(c.what)
	}
	c.p.Step()
}

// Close ends the display; another time it does nothing.
func (c *Counter) Close() {
	if c.p != nil {
		c.p.Close()
		c.p = nil
	}
}
