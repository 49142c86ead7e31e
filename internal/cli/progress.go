// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
	"dpverify/internal/prose"
	"dpverify/internal/terminal"
)

// Watched runs f while standard error shows the steps that f tells of. A crash becomes an error. Where the
// run is interrupted, f may have failed or not.
func Watched[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	defer p.Close()
	return guard.Value(func() (T, error) { return f(p.Describe) })
}

// Completed is watched for what an interruption leaves nothing of.
func Completed[T any](c *cobra.Command, f func(show func(what string)) (T, error)) (T, error) {
	x, err := Watched(c, f)
	return x, cmp.Or(Interrupted(c), err)
}

// Interrupted is errInterrupted if the command is; nil otherwise.
func Interrupted(c *cobra.Command) error {
	if c.Context().Err() != nil {
		return ErrInterrupted
	}
	return nil
}

// Efforts is the progress of a climb.
func Efforts(show func(what string)) func(exact.Effort, int) {
	return func(e exact.Effort, _ int) { show(fmt.Sprintf("effort %d", e)) }
}

// Climb has a goal, which begins now, show its efforts, and what is known of the answer where one is wanted.
func Climb(g *ask.Goal, show func(what string), symbol string, at []string) {
	var mu sync.Mutex
	var best interval.Interval
	effort, bounds := "effort 0", ""
	g.Started = time.Now()
	g.Progress = func(e exact.Effort, _ int) {
		mu.Lock()
		defer mu.Unlock()
		effort = fmt.Sprintf("effort %d", e)
		show(effort + bounds)
	}
	if g.Known = nil; len(at) > 1 {
		return
	}
	g.Known = func(_ int, x interval.Interval) {
		mu.Lock()
		defer mu.Unlock()
		if both, ok := interval.Intersect(best, x); ok && bounds != "" {
			x = both
		}
		best, bounds = x, fmt.Sprintf(", %s(%s) %s", symbol, at[0], prose.Member(x.Decimal(shownDigits)))
		show(effort + bounds)
	}
}

// shownDigits are those of what is known while more is being found.
const shownDigits = 6
