// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Lines say now and then, in lines, how far long work is: for logs, where a bar
// cannot be drawn. They are silent about work that is done before the first line is due.
type Lines struct {
	w     io.Writer
	total int

	mu   sync.Mutex // guards what follows
	done int
	what string

	stop    chan struct{}
	stopped sync.WaitGroup
}

// LinesAfter is when the first line is due, and how long after it another one.
const LinesAfter, LinesEvery = 5 * time.Second, 20 * time.Second

// NewLines returns the lines of work of total steps, which go to w.
func NewLines(w io.Writer, total int) *Lines { return startLines(w, total, LinesAfter, LinesEvery) }

func startLines(w io.Writer, total int, after, every time.Duration) *Lines {
	p := &Lines{w: w, total: total, stop: make(chan struct{})}
	p.stopped.Go(func() {
		started := time.Now()
		timer := time.NewTimer(after)
		defer timer.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-timer.C:
				p.print(time.Since(started))
				timer.Reset(every)
			}
		}
	})
	return p
}

func (p *Lines) print(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A standard error that fails is not worth an error.
	_, _ = fmt.Fprintf(p.w, "%s, %d of %d, %v\n", p.what, p.done, p.total, elapsed.Round(time.Second))
}

// Describe says what is being done.
func (p *Lines) Describe(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// Step counts one step.
func (p *Lines) Step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

// Close ends the lines.
func (p *Lines) Close() {
	close(p.stop)
	p.stopped.Wait()
}

// Steps show how far work is: as a bar on a terminal, and elsewhere in lines.
type Steps interface {
	Describe(what string)
	Step()
	Close()
}

// NewSteps returns what shows work of total steps on w.
func NewSteps(w io.Writer, total int) Steps {
	if Is(w) {
		return NewProgress(w, total)
	}
	return NewLines(w, total)
}
