// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import "dpverify/exact/inversion"

// A Memo keeps what the answers to several questions share whose events are composed of the same ones: see
// Question.Memo. The zero value is ready for use, also by several goroutines. A question alone is answered faster without.
type Memo struct{ transforms inversion.Memo }

// memory is what transforms share, or nil.
func (s *solver) memory() *inversion.Memo {
	if s == nil || s.memo == nil {
		return nil
	}
	return &s.memo.transforms
}
