// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package terminal shows people how far work is, and sets text for them: bars and colours where
// there is a terminal, and lines or nothing elsewhere.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/term"
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

// A work counts the steps of long work, and shows from time to time how far it is.
type work struct {
	mu   sync.Mutex // guards what follows, and drawing
	done int
	what string

	stop    chan struct{} // nil if nothing is shown
	stopped sync.WaitGroup
}

// show calls draw, under mu, after a while and then every so often, until Close.
func (w *work) show(after, every time.Duration, draw func(elapsed time.Duration)) {
	w.stop = make(chan struct{})
	w.stopped.Go(func() {
		started := time.Now()
		timer := time.NewTimer(after)
		defer timer.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-timer.C:
				w.mu.Lock()
				draw(time.Since(started))
				w.mu.Unlock()
				timer.Reset(every)
			}
		}
	})
}

// Describe says what is being done.
func (w *work) Describe(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.what = what
}

// Step counts one step.
func (w *work) Step() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.done++
}

// Close ends the display.
func (w *work) Close() {
	if w.stop != nil {
		close(w.stop)
		w.stopped.Wait()
	}
}

// Is reports whether w is a terminal. A writer that wraps another one says so by a method Unwrap.
func Is(w io.Writer) bool {
	if x, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = x.Unwrap()
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// A Style says how text is set on a terminal; the zero Style sets it plainly.
type Style struct{ color bool }

// NewStyle returns the style for w: colours on a terminal, unless the
// environment asks for none (no-color.org).
func NewStyle(w io.Writer) Style {
	return Style{Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// A Code is how terminals call a colour or a weight.
type Code string

const (
	Bold   Code = "1"
	Red    Code = "31"
	Green  Code = "32"
	Yellow Code = "33"
	Blue   Code = "34"
	Purple Code = "35"
)

// Set sets a text.
func (s Style) Set(c Code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + string(c) + "m" + text + "\x1b[0m"
}
