// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// progressDelay is how long work may take before it shows progress.
const progressDelay = time.Second

// A Progress shows on a terminal that work goes on, once it has taken a while. The elapsed time moves even where no
// step ends.
type Progress struct {
	work
	w     io.Writer
	total int // −1 if it is not known
	drawn int // the characters of the line that is shown; 0 if there is none
	shown bool
	begun time.Time
}

// barCells are those of the bar in the line that shows progress, which has lineWidth characters at most, not to wrap.
const barCells, lineWidth = 24, 79

// NewProgress returns a progress of total steps, or of unknown length if total is
// −1; it shows nothing unless w is a terminal.
func NewProgress(w io.Writer, total int) *Progress {
	if !Is(w) {
		return new(Progress)
	}
	return startProgress(w, total, progressDelay)
}

func startProgress(w io.Writer, total int, delay time.Duration) *Progress {
	p := &Progress{w: w, total: total, begun: time.Now()}
	p.show(delay, 200*time.Millisecond, func(time.Duration) { p.draw() })
	return p
}

// draw writes the line over the one before. A terminal that fails is not worth an error.
func (p *Progress) draw() {
	line := fmt.Sprintf("%s, %v", p.what, time.Since(p.begun).Round(time.Second))
	if p.total > 0 {
		full := min(barCells*p.done/p.total, barCells)
		line += fmt.Sprintf(" %3d%% |%s%s| (%d/%d)", 100*p.done/p.total, strings.Repeat("█", full),
			strings.Repeat(" ", barCells-full), p.done, p.total)
	}
	if runes := []rune(line); len(runes) > lineWidth {
		line = string(runes[:lineWidth])
	}
	n := utf8.RuneCountInString(line)
	_, _ = fmt.Fprintf(p.w, "\r%s%s", line, strings.Repeat(" ", max(p.drawn-n, 0)))
	p.drawn, p.shown = n, true
}

// Step counts one step.
func (p *Progress) Step() {
	p.work.Step()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.draw()
	}
}

// Aside runs print with the line out of its way, which is drawn again at the next step.
func (p *Progress) Aside(print func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	return print()
}

// Close removes the line.
func (p *Progress) Close() {
	p.work.Close()
	p.clear()
}

func (p *Progress) clear() {
	if p.drawn > 0 {
		_, _ = fmt.Fprintf(p.w, "\r%s\r", strings.Repeat(" ", p.drawn))
		p.drawn = 0
	}
}
