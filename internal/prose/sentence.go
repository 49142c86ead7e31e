// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package prose

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Sentence says in a sentence what an event is, for people who do not know the field. Of an event
// whose parameters are ranges, more and less are the two ends; otherwise they are equal.
func Sentence(more, less mechanism.Event) string {
	text := "The mechanism is " + mechanism.Phrase(less, exactly) + "."
	if !mechanism.Equal(more, less) {
		text += " Its parameters are ranges, and these are their least private ends. At the other ends it is " +
			mechanism.Phrase(more, exactly) + "."
	}
	return text
}

// exactly is a number as it is written; beside a fraction stands about what it is.
func exactly(r *big.Rat) string {
	if r == nil {
		return "not given"
	}
	text := show.Cut(number.Format(r))
	if strings.Contains(text, "/") {
		text += " (about " + strings.TrimPrefix(About(interval.Prec(64).Rat(r)), "≈ ") + ")"
	}
	return Readable(text)
}

// Joined lists words, the last after "or" or "and".
func Joined(words []string, last string) string {
	n := len(words) - 1
	if n < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}

// Few lists at most so many words, with … in the place of the others.
func Few(words []string, most int) string {
	if len(words) > most {
		words = append(slices.Clone(words[:most]), "…")
	}
	return strings.Join(words, ", ")
}

// Many is a number of things as an output has it.
func Many(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
