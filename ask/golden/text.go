// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"fmt"
	"strings"
)

// Text writes a result for people.
func (r Result) Text() string {
	var b strings.Builder
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "FAIL  %s\n", f)
	}
	for _, u := range r.Updated {
		fmt.Fprintf(&b, "updated %s\n", u)
	}
	fmt.Fprintf(&b, "%d cases: %d failed, %d undecided\n", r.Cases, len(r.Failures), r.Undecided)
	if r.Coarse > 0 {
		fmt.Fprintf(&b, "%d compared to fewer digits than the value has\n", r.Coarse)
	}
	if r.Silent > 0 {
		fmt.Fprintf(&b, "%d left out: lines without a quantity\n", r.Silent)
	}
	return b.String()
}
