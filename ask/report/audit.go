// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"strings"

	"dpverify/ask/audit"
)

// Audit returns an audit as a page.
func Audit(r audit.Report) ([]byte, error) {
	return render("audit", struct {
		R                            audit.Report
		Title, CommandLine, Failures string
	}{r, "Audit of an accountant", printable(strings.Join(r.Command, " ")),
		strings.Join(r.Summary.FailuresInWords(), ", ")})
}
