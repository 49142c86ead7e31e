// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

import (
	"context"
	"os"
	"runtime/debug"
	"testing"
)

// Long says whether the tests that take long are wanted, too.
func Long() bool { return os.Getenv("DPVERIFY_LONG") != "" }

// Thorough says whether tests try as many cases as the listed mutants need: tools/mutants sets DPVERIFY_THOROUGH, and
// what takes long is thorough, too.
func Thorough() bool { return os.Getenv("DPVERIFY_THOROUGH") != "" || Long() }

// Draws returns how many random cases a test that takes much of the time of all tests tries: few of them, or as many
// as Cases(usual, long) under DPVERIFY_THOROUGH or DPVERIFY_LONG.
func Draws(few, usual, long int) int {
	if Thorough() {
		return Cases(usual, long)
	}
	return min(few, Cases(usual, long))
}

// SkipQuick leaves a test to DPVERIFY_THOROUGH. The reason names what tries the same with less work.
func SkipQuick(t testing.TB, reason string) {
	t.Helper()
	if !Thorough() {
		t.Skipf("%s: DPVERIFY_THOROUGH=1 runs this one, too", reason)
	}
}

// Cases returns how many cases a test tries: the usual number, or the one for DPVERIFY_LONG; an eighth
// of the usual one in the short suite, which is there for the race detector, and at least one.
func Cases(usual, long int) int {
	switch {
	case Long():
		return long
	case testing.Short():
		return max(1, usual/8)
	}
	return usual
}

// First returns the first n of the values, or all of them under DPVERIFY_LONG: the telling ones stand first.
func First[T any](n int, values ...T) []T {
	if Long() {
		return values
	}
	return values[:n]
}

// SkipUsual leaves a test to DPVERIFY_LONG. The reason names what tries the same with less work.
func SkipUsual(t testing.TB, reason string) {
	t.Helper()
	if !Long() {
		t.Skipf("%s: DPVERIFY_LONG=1 runs this one, too", reason)
	}
}

// InTurn returns one of the values, the one whose turn is i; all of them under DPVERIFY_LONG. Loops in loops try each
// value that way, but not each together with each of the others.
func InTurn[T any](i int, values []T) []T {
	if Long() {
		return values
	}
	i %= len(values)
	return values[i : i+1]
}

// QuickTurn is InTurn for what the listed mutants need together: one of the values in the quick suite, and all of them
// under DPVERIFY_THOROUGH.
func QuickTurn[T any](i int, values []T) []T {
	if Thorough() {
		return values
	}
	i %= len(values)
	return values[i : i+1]
}

// Few returns n of the values, evenly spread and the first among them, in the quick suite, and all of them under
// DPVERIFY_THOROUGH.
func Few[T any](n int, values []T) []T {
	if Thorough() || n >= len(values) {
		return values
	}
	few := make([]T, n)
	for i := range few {
		few[i] = values[i*len(values)/n]
	}
	return few
}

// SkipShort leaves a test of much arithmetic in one goroutine to the whole suite. Shorter tests of the same
// functions stay in the short one, for the race detector.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("arithmetic alone, for the whole suite")
	}
}

// A Countdown is a context that is cancelled once it was asked for its error Left times.
type Countdown struct {
	context.Context
	Left int
}

// Err counts down.
func (c *Countdown) Err() error {
	if c.Left--; c.Left < 0 {
		return context.Canceled
	}
	return nil
}

// init collects less: tests make much garbage and little that stays: with a heap of a few MB it would be collected
// every few milliseconds, which is a quarter of their time. GOGC in the environment has precedence.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(800)
	}
}

// Hostile are texts that must not act wherever they end up.
var Hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`a]]>b`,
	"line\nbreak\r::error::injected",
	"bell\a escape\x1b[31m nul\x00",
	"\u202Eright to left",
	`{{.}} &amp; ' % , :`,
	"\xff\xfe not utf-8",
}
