// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"time"

	"dpverify/exact"
)

// Options say how to audit.
type Options struct {
	Command []string // the accountant and its arguments
	Cases   []Case
	// Estimates says that a bare value is an estimate: it is not judged as a bound.
	Estimates bool

	Timeout   time.Duration // for one answer
	Startup   time.Duration // added to the first answer of every process
	Memory    int64         // bytes that the accountant may use; 0: no limit
	Processes int           // of the accountant, which are asked in turn; 0 for one
	Patience  int           // failures in a row after which the accountant is asked no more
	Effort    exact.Effort  // the last rung of the ladder on which an answer is judged
	Budget    time.Duration // for judging one answer

	ShrinkQuestions int           // questions that shrinking one case may ask
	ShrinkTime      time.Duration // and time that it may take

	// Progress, if not nil, is called after every case.
	Progress func()
	// Shrinking, if not nil, is called before an unsound answer is shrunk.
	Shrinking func(id string)
	// Spent, if not nil, is called for every process of the accountant that has ended, with
	// its processor time.
	Spent func(cpu time.Duration)
}
