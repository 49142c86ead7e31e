// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"path"
	"slices"

	"dpverify/internal/document"
	"dpverify/mechanism"
	"dpverify/vectors"
)

// Size is how many bytes all files may have together: they are read in tests of others.
const Size = 1 << 20

// Lint says what is wrong with the form of files, a line for each fault: nothing is computed.
func Lint(folder fs.FS) ([]string, error) {
	names, files, err := vectors.Read(folder)
	if err != nil {
		return nil, err
	}
	var faults []string
	size := 0
	seen := make(map[string]string)
	for i, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		size += len(data)
		for _, fault := range lintFile(name, files[i], seen) {
			faults = append(faults, name+": "+fault)
		}
	}
	if size > Size {
		faults = append(faults, fmt.Sprintf("%d bytes in all, want at most %d", size, Size))
	}
	return faults, nil
}

func lintFile(name string, f vectors.File, seen map[string]string) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if want := path.Base(f.Algorithm + "_" + f.Quantity + ".json"); name != want {
		fault("the name, want %s", want)
	}
	if f.Schema != vectors.SchemaName {
		fault("schema = %q, want %q", f.Schema, vectors.SchemaName)
	}
	used := make(map[string]bool)
	count := 0
	for t := range tests([]vectors.File{f}) {
		count++
		for _, problem := range lintTest(f, t) {
			fault("%s: %s", t.TcID, problem)
		}
		if other, twice := seen[t.TcID]; twice {
			fault("%s: is in %s too", t.TcID, other)
		}
		seen[t.TcID] = name
		for _, flag := range t.Flags {
			used[flag] = true
		}
	}
	if count != f.NumberOfTests || count == 0 {
		fault("numberOfTests = %d, want %d, and at least 1", f.NumberOfTests, count)
	}
	for _, flag := range slices.Sorted(maps.Keys(used)) {
		if n := f.Notes[flag]; n.BugType == "" || n.Description == "" || n.Effect == "" {
			fault("the flag %s has no note with a bugType, a description and an effect", flag)
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(f.Notes)) {
		if !used[flag] {
			fault("the note %s is about no test", flag)
		}
	}
	return faults
}

// lintTest says what is wrong with one test.
func lintTest(f vectors.File, t vectors.Test) []string {
	var faults []string
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if id, err := t.ID(); err != nil {
		fault("%v", err)
	} else if id != t.TcID {
		fault("tcId, want %s for this question", id)
	}
	if t.Quantity != f.Quantity {
		fault("quantity = %q, want %q", t.Quantity, f.Quantity)
	}
	if t.Comment == "" {
		fault("comment is missing")
	}
	if !slices.IsSorted(t.Flags) || len(slices.Compact(slices.Clone(t.Flags))) != len(t.Flags) {
		fault("flags = %v, want each once, sorted", t.Flags)
	}
	n, err := document.ParseJSON(t.Event)
	if err == nil {
		_, err = mechanism.Decoder{Binary64: t.NumberFormat == "binary64"}.RoundedEvent(n, "event")
	}
	if err != nil {
		fault("%v", err)
	}
	if _, err := mechanism.ParseRelation(t.Relation); err != nil {
		fault("%v", err)
	}
	if _, err := mechanism.ParseDirection(t.Direction); err != nil {
		fault("%v", err)
	}
	if t.NumberFormat != "decimal" && t.NumberFormat != "binary64" {
		fault("number_format = %q, want binary64 or decimal", t.NumberFormat)
	}
	for _, end := range []string{t.Lo, t.Hi} {
		if ordinary(end) == nil && end != "inf" && end != "-inf" {
			fault("an end of the enclosure = %q, want a decimal, inf or -inf", end)
		}
	}
	if below(t.Hi, t.Lo) {
		fault("[%s, %s], want lo ≤ hi", t.Lo, t.Hi)
	}
	return faults
}

// below reports a < b for ends of enclosures. What is no number is below everything but inf, and
// nothing is below it.
func below(a, b string) bool {
	rank := func(s string) (x *big.Rat, infinite int) {
		if x = ordinary(s); x != nil {
			return x, 0
		}
		if s == "inf" {
			return nil, 1
		}
		return nil, -1
	}
	x, xi := rank(a)
	y, yi := rank(b)
	if xi == 0 && yi == 0 {
		return x.Cmp(y) < 0
	}
	return xi < yi
}
