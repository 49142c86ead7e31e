// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import "dpverify/internal/field"

// What tests outside of the package use.
var (
	CompareRats = compareRats
	TestFiles   = testFiles
)

// FieldsAreValid is Validate without the decoder.
func FieldsAreValid(e Event) bool { return isValid(&field.Validation{Digits: field.MaxDigits}, e) }
