// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package guard runs what may panic, or may not end in time, so that the rest goes on.
package guard

import (
	"errors"
	"fmt"
	"runtime/debug"

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
