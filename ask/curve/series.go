// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/internal/figure"
)

// A series is one curve of a sheet.
type series struct {
	figure.Curve
	question exact.Question
	method   *derive.Method // nil for the truth
	profiles *ask.Profiles
	kept     *derive.Kept // of all methods for the question
	missing  string       // why there is none
}

// searches is 1 if its method searches, which takes time, and 0 if not.
func (c *series) searches() int {
	if c.method != nil && c.method.Search {
		return 1
	}
	return 0
}
