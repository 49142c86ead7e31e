// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package ordered works on many items at once and keeps their order.
package ordered

import (
	"iter"
	"runtime"
)

// Map applies f to the items in parallel, on as many processors as there
// are, and yields the results in the order of the items, each as soon as it and
// its predecessors are done. It reads a few items ahead, so items may block.
//
// When the caller stops early, calls of f that have begun still run to their end.
func Map[T, R any](items iter.Seq[T], f func(T) R) iter.Seq[R] {
	return func(yield func(R) bool) {
		type task struct {
			item   T
			result chan R
		}
		workers := runtime.GOMAXPROCS(0)
		stop := make(chan struct{})
		defer close(stop)
		queue := make(chan chan R, 4*workers) // in the order of the items
		work := make(chan task)
		for range workers { // and each keeps its stack
			go func() {
				for t := range work {
					t.result <- f(t.item)
				}
			}()
		}
		go func() {
			defer close(queue)
			defer close(work)
			for item := range items {
				result := make(chan R, 1)
				select {
				case queue <- result:
				case <-stop:
					return
				}
				work <- task{item, result}
			}
		}()
		for result := range queue {
			if !yield(<-result) {
				return
			}
		}
	}
}

// Released yields items and forgets each of them, for work of which little is to be remembered.
func Released[T any](items []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i, item := range items {
			var none T
			items[i] = none
			if !yield(item) {
				return
			}
		}
	}
}
