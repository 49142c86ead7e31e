// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"fmt"
	"path"
	"strings"

	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// Choose returns the entries with the given IDs, or all. An ID may be a pattern as [path.Match] has it: 3-* is all of
// paper 3.
func Choose(ids []string) ([]Entry, error) {
	all := Entries()
	if len(ids) == 0 {
		return all, nil
	}
	var out []Entry
	chosen := make(map[string]bool)
	for _, id := range ids {
		var known []string
		found := false
		for _, e := range all {
			known = append(known, e.ID)
			ok, err := path.Match(id, e.ID)
			if err != nil {
				return nil, fmt.Errorf("ID = %s: %w", show.Name(id), err)
			}
			found = found || ok
			if ok && !chosen[e.ID] {
				out = append(out, e)
				chosen[e.ID] = true
			}
		}
		if !found {
			return nil, fmt.Errorf("ID = %s, want one of %s%s", show.Name(id), strings.Join(known, ", "),
				suggest.Perhaps(id, known))
		}
	}
	return out, nil
}
