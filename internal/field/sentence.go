// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// A Sentence has %s for each of its parts: numbers, integers, numbers of things, other sentences, lists of them, and
// texts.
type Sentence struct {
	format string
	parts  []any
}

// Say makes a Sentence.
func Say(format string, parts ...any) Sentence { return Sentence{format, parts} }

// TimesC comes behind a multiple of the bound of what one record contributes.
const TimesC = " times the bound C on what one record contributes"

// Many is a number of things.
type Many struct {
	N     int64
	Thing string
}

func (m Many) things() string {
	stem, isY := strings.CutSuffix(m.Thing, "y")
	switch {
	case m.N == 1:
		return m.Thing
	case isY:
		return stem + "ies"
	}
	return m.Thing + "s"
}

// Elements are the things in a list.
func Elements[T any](list []T, thing string) Many { return Many{int64(len(list)), thing} }

// A List has sentences, some of which are written with a text between them.
type List struct {
	of      func() []Sentence
	between string
}

// Each says the elements of a list, if it is asked to.
func Each[T any](list []T, between string, say func(i int, x T) Sentence) List {
	return List{func() (out []Sentence) {
		for i, x := range list {
			out = append(out, say(i, x))
		}
		return out
	}, between}
}

// Write writes a Sentence; numeral writes its numbers.
func (s Sentence) Write(numeral func(*big.Rat) string) string {
	texts := make([]any, len(s.parts))
	for i, x := range s.parts {
		switch x := x.(type) {
		case *big.Rat:
			texts[i] = numeral(x)
		case int64:
			texts[i] = Count(x)
		case Many:
			texts[i] = Count(x.N) + " " + x.things()
		case func() Sentence:
			texts[i] = x().Write(numeral)
		case List:
			var parts []string
			for _, s := range x.of() {
				parts = append(parts, s.Write(numeral))
			}
			texts[i] = some(parts, x.between)
		default:
			texts[i] = x
		}
	}
	return fmt.Sprintf(s.format, texts...)
}

// some joins the first of many texts.
func some(texts []string, between string) string {
	const most = 6
	if n := len(texts); n > most+1 {
		texts = append(texts[:most:most], fmt.Sprintf("and %d more", n-most))
	}
	return strings.Join(texts, between)
}

// Count groups the digits of a number by commas.
func Count(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
