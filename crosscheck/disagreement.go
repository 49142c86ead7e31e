// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"errors"

	"dpverify/exact"
)

// IsDisagreement reports whether an error says that two computations contradict each other.
func IsDisagreement(err error) bool {
	var elementary *Violation
	var function *FunctionViolation
	var engines *ProfileViolation
	var methods *MethodViolation
	var divergence *DivergenceViolation
	var class *ClassViolation
	var inner *exact.InconsistencyError
	return errors.As(err, &class) || errors.As(err, &divergence) || errors.As(err, &elementary) || errors.As(err, &function) || errors.As(err, &engines) || errors.As(err, &methods) || errors.As(err, &inner)
}
