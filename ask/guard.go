// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"
	"fmt"
	"runtime/debug"

	"dpverify/exact"
	"dpverify/exact/meaning"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// A PanicError is a bug of the engine that ended in a panic.
type PanicError struct {
	Value any
	Stack []byte // where it began
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v\n%s", e.Value, e.Stack) }

// Guard runs f and returns a panic as a *PanicError, so that one question that meets a
// bug does not take the others with it.
func Guard(f func() error) (err error) {
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

// Guarded is Guard for what has a value.
func Guarded[T any](f func() (T, error)) (x T, err error) {
	err = Guard(func() (err error) {
		x, err = f()
		return err
	})
	return x, err
}

// Repanic goes on with a panic that Guard has caught elsewhere.
func Repanic(err error) {
	if p, ok := errors.AsType[*PanicError](err); ok {
		panic(p)
	}
}

// IsBug reports whether an error is a bug of the engine.
func IsBug(err error) bool { return is[*exact.InconsistencyError](err) || is[*PanicError](err) }

// NoMeaning reports whether an error is about a question: it has no meaning, or none that this version knows.
func NoMeaning(err error) bool {
	return is[*mechanism.ParamError](err) || is[*mechanism.UnsupportedError](err) || is[*number.Error](err) ||
		is[*meaning.RelationError](err) || is[*meaning.DirectionError](err)
}

// is reports whether an error is of a type, or wraps one that is.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
