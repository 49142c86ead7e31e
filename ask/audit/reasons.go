// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"regexp"
	"slices"
)

// A Reason is why questions have no answer, and how many of them.
type Reason struct {
	Kind  Kind   `json:"kind"`
	Text  string `json:"text"` // of the first one
	Count int    `json:"count"`
	First string `json:"first"` // id of the first one
}

// aNumber matches what tells apart texts that give one reason.
var aNumber = regexp.MustCompile(`[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// Reasons groups the questions without an answer: by kind in the order of Kinds, the
// most frequent reason first. Texts that differ in numbers only are one reason.
func Reasons(rs []Result) []Reason {
	type key struct {
		kind Kind
		text string
	}
	out := []Reason{}
	at := make(map[key]int)
	for _, r := range rs {
		if r.Reply.Kind == Answered {
			continue
		}
		k := key{r.Reply.Kind, aNumber.ReplaceAllString(r.Reply.Text, "#")}
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, Reason{Kind: r.Reply.Kind, Text: r.Reply.Text, First: r.ID})
		}
		out[i].Count++
	}
	slices.SortStableFunc(out, func(a, b Reason) int {
		if a.Kind != b.Kind {
			return slices.Index(Kinds, a.Kind) - slices.Index(Kinds, b.Kind)
		}
		return b.Count - a.Count
	})
	return out
}
