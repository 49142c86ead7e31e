// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"fmt"

	"dpverify/internal/show"
)

// Shown is a value as an error shows it.
func Shown(n *Node) string {
	if n == nil {
		return "nothing"
	}
	switch n.Kind {
	case Number, String:
		return show.Value(n.Text)
	case Bool:
		return show.Cut(n.Text)
	case Sequence:
		return fmt.Sprintf("a list of %d", len(n.Items))
	case Mapping:
		lo, hi := n.Get("lo"), n.Get("hi")
		if lo != nil && hi != nil && lo.Kind != Mapping && hi.Kind != Mapping {
			return fmt.Sprintf("{lo: %s, hi: %s}", Shown(lo), Shown(hi))
		}
	}
	return n.Kind.String()
}
