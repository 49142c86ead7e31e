// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"errors"

	"dpverify/exact/meaning"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

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
