// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package suggest

import "strings"

// Class returns the known class that name is most likely meant to be, or
// nothing if none is close: two letters off, or up to a third of the part that
// makes the difference.
func Class(name string, known []string) string {
	if len(name) > 64 {
		return ""
	}
	whole, stem := strings.ToLower(name), classStem(name)
	nearest, best := "", len(name)
	for _, k := range known {
		if d := editDistance(stem, classStem(k)); d < best && d <= max(1, len(stem)/3) {
			nearest, best = k, d
		}
		if d := editDistance(whole, strings.ToLower(k)); d < best && d <= 2 {
			nearest, best = k, d
		}
	}
	return nearest
}

// classStem drops the endings that most class names share, but leaves zCDP whole.
func classStem(name string) string {
	stem := strings.TrimSuffix(strings.ToLower(name), "event")
	if len(stem) > len("zcdp") {
		stem = strings.TrimSuffix(stem, "dp")
	}
	return stem
}

// editDistance is the least number of bytes to insert, delete or replace that
// turns a into b.
func editDistance(a, b string) int {
	// row[j] is the distance of the part of a read so far to b[:j].
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
