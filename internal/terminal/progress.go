// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progressDelay is how long work may take before it shows progress.
const progressDelay = time.Second

// A Progress shows on a terminal that work goes on, once it has taken a while. The elapsed time moves even where no
// step ends.
type Progress struct {
	work
	bar *progressbar.ProgressBar // nil until it is shown
}

// NewProgress returns a progress of total steps, or of unknown length if total is
// −1; it shows nothing unless w is a terminal.
func NewProgress(w io.Writer, total int) *Progress {
	if !Is(w) {
		return new(Progress)
	}
	return startProgress(w, total, progressDelay)
}

func startProgress(w io.Writer, total int, delay time.Duration) *Progress {
	p := new(Progress)
	p.show(delay, 200*time.Millisecond, func(elapsed time.Duration) { p.draw(w, total, elapsed) })
	return p
}

// draw draws the bar. A terminal that fails is not worth an error.
func (p *Progress) draw(w io.Writer, total int, elapsed time.Duration) {
	what := fmt.Sprintf("%s, %v", p.what, elapsed.Round(time.Second))
	if p.bar == nil {
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(w),
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

// Step counts one step.
func (p *Progress) Step() {
	p.work.Step()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Set(p.done)
	}
}

// Aside runs print with the bar out of its way.
func (p *Progress) Aside(print func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return print()
}

// Close removes the bar.
func (p *Progress) Close() {
	p.work.Close()
	p.clear()
}

func (p *Progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
