// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package guard runs what may panic, or may not end in time, so that the rest goes on.
package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"dpverify/exact"
)

// A PanicError is a bug of the engine that ended in a panic.
type PanicError struct {
	Value any
	Stack []byte // where it began
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n%s", e.Value, e.Stack) }

// Run runs f and returns a panic as a *PanicError, so that one question that meets a
// bug does not take the others with it.
func Run(f func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *PanicError: // of another goroutine
			err = v
		default:
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

// Value is Run for what has a value.
func Value[T any](f func() (T, error)) (x T, err error) {
	err = Run(func() (err error) {
		x, err = f()
		return err
	})
	return x, err
}

// Repanic goes on with a panic that Run has caught elsewhere.
func Repanic(err error) {
	if p, ok := errors.AsType[*PanicError](err); ok {
		panic(p)
	}
}

// IsBug reports whether an error is a bug of the engine.
func IsBug(err error) bool {
	_, inconsistent := errors.AsType[*exact.InconsistencyError](err)
	_, panicked := errors.AsType[*PanicError](err)
	return inconsistent || panicked
}

// grace is how long a computation may go on after its context has ended.
const grace = time.Second

// Within returns f(ctx). If f does not return soon after the end of ctx, Within
// gives up on it and returns ctx's error: the computation is left behind and its
// result dropped, so that a budget, a timeout and an interrupt hold whatever the
// engine is doing. f must not change anything that its caller goes on to use.
//
// A panic of f is one of Within, with the stack of f.
func Within[T any](ctx context.Context, f func(context.Context) (T, error)) (T, error) {
	type result struct {
		value T
		err   error
		panic error
	}
	done := make(chan result, 1)
	go func() {
		makeRoom()
		var r result
		r.panic = Run(func() error {
			r.value, r.err = f(ctx)
			return nil
		})
		done <- r
	}()
	returned := func(r result) (T, error) {
		Repanic(r.panic)
		return r.value, r.err
	}
	select {
	case r := <-done:
		return returned(r)
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case r := <-done:
		return returned(r)
	case <-late.C:
		var zero T
		return zero, ctx.Err()
	}
}

// makeRoom has the stack of a goroutine grow to 64 kB at once, as engines need. By copies, from 8 kB on, it takes a
// twentieth of a question of 2 ms.
//
//go:noinline
func makeRoom() {
	var room [56 << 10]byte
	touch(&room)
}

//go:noinline
func touch(room *[56 << 10]byte) { room[0] = 1 }
