// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import "dpverify/exact"

// IsDisagreement reports whether an error says that two computations contradict each other.
func IsDisagreement(err error) bool {
	return is[*Violation](err) || is[*FunctionViolation](err) || is[*ProfileViolation](err) || is[*MethodViolation](err) ||
		is[*DivergenceViolation](err) || is[*ClassViolation](err) || is[*exact.InconsistencyError](err)
}
