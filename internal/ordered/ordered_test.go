// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ordered

import (
	"slices"
	"testing"
	"time"
)

func TestMapKeepsTheOrder(t *testing.T) {
	var items []int
	for i := range 200 {
		items = append(items, i)
	}
	slow := func(i int) int {
		time.Sleep(time.Duration((i*7)%5) * time.Millisecond)
		return 2 * i
	}
	var got []int
	for r := range Map(slices.Values(items), slow) {
		got = append(got, r)
	}
	if len(got) != len(items) || !slices.IsSorted(got) || got[199] != 398 {
		t.Errorf("%d results: %v", len(got), got)
	}
}

// A result is yielded although no further item comes.
func TestMapDoesNotWaitForItems(t *testing.T) {
	ask := make(chan int)
	questions := func(yield func(int) bool) {
		for i := range ask {
			if !yield(i) {
				return
			}
		}
	}
	answers := make(chan int)
	go func() {
		defer close(answers)
		for r := range Map(questions, func(i int) int { return -i }) {
			answers <- r
		}
	}()
	for i := range 100 {
		ask <- i
		select {
		case got := <-answers:
			if got != -i {
				t.Fatalf("%d answered with %d", i, got)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%d is not answered", i)
		}
	}
	close(ask)
	if r, ok := <-answers; ok {
		t.Errorf("a further answer %d", r)
	}
}

func TestMapStopsEarly(t *testing.T) {
	endless := func(yield func(int) bool) {
		for i := 0; yield(i); i++ {
		}
	}
	for r := range Map(endless, func(i int) int { return i }) {
		if r == 50 {
			return
		}
	}
	t.Error("the items ended")
}
