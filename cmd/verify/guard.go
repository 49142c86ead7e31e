package main

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// A panicError is a bug of the engine that ended in a panic.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("%v\n%s", e.value, e.stack)
}

// guard runs f and returns a panic as an error, so that one question that meets a
// bug does not take the others with it.
func guard(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v, debug.Stack()}
		}
	}()
	return f()
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
