// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

// textDigits is how many significant digits the text output has, or more where a
// verdict needs them.
const textDigits = 8
