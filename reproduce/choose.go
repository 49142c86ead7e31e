// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"fmt"
	"strings"

	"dpverify/internal/show"
)

// Choose returns the entries with the given IDs, or all.
func Choose(ids []string) ([]Entry, error) {
	all := Entries()
	if len(ids) == 0 {
		return all, nil
	}
	byID := make(map[string]Entry)
	var known []string
	for _, e := range all {
		byID[e.ID] = e
		known = append(known, e.ID)
	}
	var out []Entry
	for _, id := range ids {
		e, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("ID = %s, want one of %s", show.Name(id), strings.Join(known, ", "))
		}
		out = append(out, e)
	}
	return out, nil
}
