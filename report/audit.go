package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"dpverify/audit"
)

// Audit returns an audit as a page.
func Audit(r audit.Report) ([]byte, error) {
	var failures []string
	for _, k := range slices.Sorted(maps.Keys(r.Summary.Failures)) {
		failures = append(failures, fmt.Sprintf("%d %s", r.Summary.Failures[k], k))
	}
	return render("audit", struct {
		R                            audit.Report
		Title, CommandLine, Failures string
	}{r, "Audit of an accountant", printable(strings.Join(r.Command, " ")), strings.Join(failures, ", ")})
}
