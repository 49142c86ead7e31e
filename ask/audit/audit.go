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
	"cmp"
	"context"
	"runtime"
	"sync"
)

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
		if failures++; reply.Kind.Replied() || reply.Kind == NotAsked {
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
		return results, cmp.Or(bug, ctx.Err())
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
			bug = cmp.Or(bug, err)
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
