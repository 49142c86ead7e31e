// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work may take before it shows progress.
const progressDelay = time.Second

// A Progress shows on a terminal that work goes on, once it has taken a while.
// A nil Progress shows nothing.
type Progress struct {
	w     io.Writer
	total int

	mu   sync.Mutex // guards what follows, and drawing
	done int
	what string
	bar  *progressbar.ProgressBar // nil until it is shown

	stop    chan struct{}
	stopped sync.WaitGroup
}

// NewProgress returns a progress of total steps, or of unknown length if total is
// −1; nil unless w is a terminal.
func NewProgress(w io.Writer, total int) *Progress {
	if !Is(w) {
		return nil
	}
	return startProgress(w, total, progressDelay)
}

func startProgress(w io.Writer, total int, delay time.Duration) *Progress {
	p := &Progress{w: w, total: total, stop: make(chan struct{})}
	p.stopped.Add(1)
	go p.run(delay)
	return p
}

// run shows the bar after a while, and then draws it again from time to time: the
// elapsed time moves even where no step ends.
func (p *Progress) run(delay time.Duration) {
	defer p.stopped.Done()
	started := time.Now()
	timer := time.NewTimer(delay)
	defer timer.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-timer.C:
			p.mu.Lock()
			p.draw(started)
			p.mu.Unlock()
			timer.Reset(200 * time.Millisecond)
		}
	}
}

// draw draws the bar. A terminal that fails is not worth an error.
func (p *Progress) draw(started time.Time) {
	what := fmt.Sprintf("%s, %v", p.what, time.Since(started).Round(time.Second))
	if p.bar == nil {
		p.bar = progressbar.NewOptions(p.total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionSetDescription(what),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionSetWidth(24),
			progressbar.OptionShowCount(),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetSpinnerChangeInterval(0)) // it would draw without p.mu
		_ = p.bar.Set(p.done)
	}
	p.bar.Describe(what) // this draws
}

// Describe says what is being done.
func (p *Progress) Describe(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}

// Step counts one step.
func (p *Progress) Step() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.bar != nil {
		_ = p.bar.Set(p.done)
	}
}

// Aside runs print with the bar out of its way.
func (p *Progress) Aside(print func() error) error {
	if p == nil {
		return print()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
	return print()
}

// Close removes the bar.
func (p *Progress) Close() {
	if p == nil {
		return
	}
	close(p.stop)
	p.stopped.Wait()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
