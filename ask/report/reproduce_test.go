// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpverify/ask/reproduce"
)

// TestReproducedPage: the page has every entry with its verdict, statements, numbers and
// pictures, and what comes from a table of texts is escaped.
func TestReproducedPage(t *testing.T) {
	entries := reproduce.Entries()
	i := slices.IndexFunc(entries, func(e reproduce.Entry) bool { return e.ID == "1-fig1" })
	o, err := reproduce.Run(t.Context(), entries[i], nil)
	if err != nil {
		t.Fatal(err)
	}
	hostile := o
	hostile.ID, hostile.Title, hostile.Figures = "other", "<script>alert(1)</script>", nil
	hostile.Statements = append([]reproduce.StatementOutcome(nil), o.Statements...)
	hostile.Statements[0].Least = new(big.Rat)
	page, err := Reproduced("dpverify test", []reproduce.Outcome{o, hostile})
	if err != nil {
		t.Fatal(err)
	}
	s := string(page)
	for _, want := range []string{`<section id="1-fig1" `, `<section id="other" `, "dpverify test", reproduce.Range(o.Statements[0].Enclosure), string(o.Verdict), "<svg "} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(s, "<svg "); n != len(o.Figures) {
		t.Errorf("%d pictures, want %d", n, len(o.Figures))
	}
	if strings.Contains(s, "<script>") {
		t.Error("a text is not escaped")
	}
}
