// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package show says how a text of the outside looks in a message: what a user wrote, what a
// file holds, what a program printed. One value looks alike everywhere.
package show

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// most is how many characters of a text are shown.
const most = 60

// Cut shortens a text that is long.
func Cut(s string) string {
	if len(s) <= most {
		return s
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Quote shows a text in quotation marks, so that nothing in it can be mistaken for our own
// words or reach a terminal as a control character.
func Quote(s string) string { return strconv.Quote(Cut(s)) }

// decimal is the pattern of a decimal without its sign.
const decimal = `(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`

// numeric are the texts of numbers; the limits of package number are not asked.
var numeric = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[+-]?` + decimal + `(/` + decimal + `)?$`)
})

// Value shows a text where a value is expected: bare if it is a number, else quoted.
func Value(s string) string {
	if numeric().MatchString(s) {
		return Cut(s)
	}
	return Quote(s)
}

// Name shows the name of a file or of a claim: in full, and quoted if a part of it cannot be
// printed, as a control character must not reach a terminal.
func Name(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// Word is the word of i, of constants from 0 on; of what is none of them, it is the name of their type and a number.
func Word[T ~int](i T, kind string, words ...string) string {
	if i < 0 || int(i) >= len(words) {
		return fmt.Sprintf("%s(%d)", kind, int(i))
	}
	return words[i]
}

// plain are the texts that a shell takes as they are.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-A-Za-z0-9_./:=@%+,]+$`) })

// Shell writes a word of a command as a POSIX shell reads it, in full.
func Shell(s string) string {
	if plain().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
