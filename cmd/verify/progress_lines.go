// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A lineProgress says now and then, in lines, how far long work is: for logs, where a bar
// cannot be drawn. It is silent about work that is done before the first line is due.
type lineProgress struct {
	w     io.Writer
	total int

	mu   sync.Mutex // guards what follows
	done int
	what string

	stop    chan struct{}
	stopped sync.WaitGroup
}

// linesAfter is when the first line is due, and how long after it another one.
const linesAfter, linesEvery = 5 * time.Second, 20 * time.Second

func startLines(w io.Writer, total int, after, every time.Duration) *lineProgress {
	p := &lineProgress{w: w, total: total, stop: make(chan struct{})}
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

func (p *lineProgress) print(elapsed time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// A standard error that fails is not worth an error.
	_, _ = fmt.Fprintf(p.w, "%s, %d of %d, %v\n", p.what, p.done, p.total, elapsed.Round(time.Second))
}

// describe says what is being done.
func (p *lineProgress) describe(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// step counts one step.
func (p *lineProgress) step() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
}

// close ends the lines.
func (p *lineProgress) close() {
	close(p.stop)
	p.stopped.Wait()
}
