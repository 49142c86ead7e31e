// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"fmt"
	"strings"

	"dpverify/audit"
)

// Audit returns an audit as a page.
func Audit(r audit.Report) ([]byte, error) {
	var failures []string
	for _, k := range audit.Kinds {
		if n := r.Summary.Failures[k]; n > 0 {
			failures = append(failures, fmt.Sprintf("%d %s", n, k))
		}
	}
	return render("audit", struct {
		R                            audit.Report
		Title, CommandLine, Failures string
	}{r, "Audit of an accountant", printable(strings.Join(r.Command, " ")), strings.Join(failures, ", ")})
}
