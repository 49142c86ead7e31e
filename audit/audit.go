// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package audit is a conformance test for accountants: programs that compute
// bounds of differential privacy.
//
// The accountant under test is a child process that reads questions and writes
// answers, one JSON object a line. Every answer is judged against enclosures that
// provably contain the truth (package exact); an unsound one is shrunk to a
// minimal question. Whatever the child does, the audit goes on: it may hang,
// crash, flood, answer out of order or eat memory, and that is recorded.
package audit

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
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

// A Result is what became of one case.
type Result struct {
	Case
	Reply   Reply
	Verdict Verdict
	Judged  Judgement
	// Shrunk is the smallest unsound case that was found from an unsound one.
	Shrunk *Result
}

// Run audits an accountant. The error says why it could not be started, is a bug of
// the engine (*exact.InconsistencyError), or is ctx's; the results reached are
// returned with it.
func Run(ctx context.Context, o Options) ([]Result, error) {
	children, err := startAll(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		for range cap(children) {
			(<-children).close()
		}
	}()
	results := make([]Result, len(o.Cases))
	asked := 0
	j := judge{o}
	var wg sync.WaitGroup
	var mu sync.Mutex
	var bug error // this and failures are guarded by mu
	failures := 0
	stopped := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return ctx.Err() != nil || bug != nil
	}
	ask := func(c *child, q Case) Reply {
		mu.Lock()
		patient := o.Patience <= 0 || failures < o.Patience
		mu.Unlock()
		if !patient {
			return Reply{Kind: NotAsked, Text: "the accountant failed too often in a row"}
		}
		reply := c.ask(ctx, q)
		mu.Lock()
		defer mu.Unlock()
		if failures++; !reply.Kind.failure() {
			failures = 0
		}
		return reply
	}
	// A processor is left to the accountant while it is asked. It need not wait for the judges: they have
	// more to do with some answers than with others.
	judges := make(chan struct{}, runtime.GOMAXPROCS(0))
	reserved := cap(judges) > 1
	if reserved {
		judges <- struct{}{}
	}
	for i, c := range o.Cases {
		child := <-children
		if stopped() {
			children <- child
			break
		}
		r := &results[i]
		r.Case = c
		asked++
		wg.Go(func() {
			r.Reply = ask(child, c)
			children <- child
			judges <- struct{}{}
			defer func() { <-judges }()
			v, judged, err := j.judge(ctx, r.Case, r.Reply)
			r.Verdict, r.Judged = v, judged
			mu.Lock()
			defer mu.Unlock()
			if err != nil && bug == nil && ctx.Err() == nil {
				bug = err
			}
			if o.Progress != nil {
				o.Progress()
			}
		})
	}
	idle := make([]*child, cap(children))
	for i := range idle {
		idle[i] = <-children
	}
	for _, c := range idle {
		children <- c
	}
	if reserved {
		<-judges
	}
	wg.Wait()
	results = results[:asked]
	if bug != nil || ctx.Err() != nil {
		return results, firstError(bug, ctx.Err())
	}
	for i := range results {
		if results[i].Verdict != Unsound {
			continue
		}
		child := <-children
		if stopped() {
			children <- child
			break
		}
		wg.Go(func() {
			defer func() { children <- child }()
			if o.Shrinking != nil {
				mu.Lock()
				o.Shrinking(results[i].ID)
				mu.Unlock()
			}
			s := shrinker{judge: j, child: child, seen: make(map[string]*Result)}
			small, err := s.shrink(ctx, results[i])
			results[i].Shrunk = &small
			mu.Lock()
			defer mu.Unlock()
			bug = firstError(bug, err)
		})
	}
	wg.Wait()
	return results, bug
}

// startAll returns the processes of the accountant: the first one is started, others when there is a question for them.
func startAll(ctx context.Context, o Options) (chan *child, error) {
	first, err := start(ctx, o)
	if err != nil {
		return nil, err
	}
	children := make(chan *child, max(1, o.Processes))
	children <- first
	for range cap(children) - 1 {
		children <- &child{o: o}
	}
	return children, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Findings iterates over the results that are unsound, each in its smallest form,
// the first of those that shrank to the same question.
func Findings(rs []Result) iter.Seq2[Result, Result] {
	return func(yield func(original, smallest Result) bool) {
		seen := make(map[string]bool)
		for _, r := range rs {
			if r.Verdict != Unsound {
				continue
			}
			small := r
			if r.Shrunk != nil {
				small = *r.Shrunk
			}
			if key := small.Case.key(); !seen[key] {
				seen[key] = true
				if !yield(r, small) {
					return
				}
			}
		}
	}
}
