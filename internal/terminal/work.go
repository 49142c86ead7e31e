// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package terminal

import (
	"sync"
	"time"
)

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
