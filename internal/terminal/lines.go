// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"fmt"
	"io"
	"time"
)

// Lines say now and then, in lines, how far long work is: for logs, where a bar
// cannot be drawn. They are silent about work that is done before the first line is due.
type Lines struct{ work }

// LinesAfter is when the first line is due, and how long after it another one.
const LinesAfter, LinesEvery = 5 * time.Second, 10 * time.Second

// NewLines returns the lines of work of total steps, which go to w.
func NewLines(w io.Writer, total int) *Lines { return startLines(w, total, LinesAfter, LinesEvery) }

func startLines(w io.Writer, total int, after, every time.Duration) *Lines {
	p := new(Lines)
	p.show(after, every, func(elapsed time.Duration) {
		// A standard error that fails is not worth an error.
		_, _ = fmt.Fprintf(w, "%s, %d of %d, %v\n", p.what, p.done, total, elapsed.Round(time.Second))
	})
	return p
}

// Aside runs print while no line is written.
func (p *Lines) Aside(print func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return print()
}

// Steps show how far work is: as a bar on a terminal, and elsewhere in lines.
type Steps interface {
	Describe(what string)
	Step()
	Aside(print func() error) error
	Close()
}

// NewSteps returns what shows work of total steps on w; in lines only if there are as many as least.
func NewSteps(w io.Writer, total, least int) Steps {
	if Is(w) || total < least {
		return NewProgress(w, total)
	}
	return NewLines(w, total)
}

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
