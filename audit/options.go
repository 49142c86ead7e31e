// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"fmt"
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

// Check says what is wrong with options: the field as verify audit has it, its value and what is
// wanted.
func (o Options) Check() error {
	switch {
	case o.Timeout <= 0:
		return fmt.Errorf("timeout = %v, want more than 0", o.Timeout)
	case o.Startup < 0:
		return fmt.Errorf("startup = %v, want at least 0", o.Startup)
	case o.Budget <= 0:
		return fmt.Errorf("budget = %v, want more than 0", o.Budget)
	case o.Memory < 0:
		return fmt.Errorf("memory = %d, want bytes, at least 0", o.Memory)
	case o.Processes < 0:
		return fmt.Errorf("processes = %d, want at least 0", o.Processes)
	case o.Patience < 0:
		return fmt.Errorf("patience = %d, want at least 0", o.Patience)
	case o.Effort < 0 || o.Effort > exact.MaxEffort:
		return fmt.Errorf("effort = %d, want an integer in [0, %d]", o.Effort, exact.MaxEffort)
	case o.ShrinkTime < 0:
		return fmt.Errorf("shrink-time = %v, want at least 0", o.ShrinkTime)
	case o.ShrinkQuestions < 0:
		return fmt.Errorf("shrink-questions = %d, want at least 0", o.ShrinkQuestions)
	}
	return nil
}
