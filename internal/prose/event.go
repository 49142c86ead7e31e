// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package prose writes for people: numbers, events, and paragraphs.
package prose

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Event writes an event in one line, for people: the class names without their
// endings, fields in order, compositions as products.
//
//	1000 × PoissonSampled(sampling_probability = 0.01, Gaussian(noise_multiplier = 1))
func Event(e mechanism.Event) string {
	n, err := document.ParseJSON(mechanism.EncodeEvent(e))
	if err != nil {
		return e.ClassName() // nested more deeply than documents are
	}
	return describeNode(n)
}

func describeNode(n *document.Node) string {
	switch n.Kind {
	case document.Sequence:
		const most = 4
		var parts []string
		for i, item := range n.Items {
			if i == most && len(n.Items) > most+1 {
				parts = append(parts, "…")
				break
			}
			parts = append(parts, describeNode(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case document.Mapping:
	default:
		return show.Cut(n.Text)
	}
	if n.Get("class_name") == nil { // a field with parts, such as the strategy of a matrix mechanism
		var parts []string
		for _, e := range n.Entries {
			parts = append(parts, e.Key+" = "+describeNode(e.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	name := strings.TrimSuffix(n.Get("class_name").Text, "Event")
	if name != "ZCDp" {
		name = strings.TrimSuffix(name, "Dp")
	}
	if name == "SelfComposed" {
		return n.Get("count").Text + " × " + describeNode(n.Get("event"))
	}
	var parts []string
	for _, e := range n.Entries {
		switch e.Key {
		case "class_name", "module_name":
		case "event", "events":
			text := describeNode(e.Value)
			if e.Key == "events" {
				text = text[1 : len(text)-1]
			}
			parts = append(parts, text)
		default:
			parts = append(parts, e.Key+" = "+describeNode(e.Value))
		}
	}
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// Title is an event for the title of a figure, cut to its width.
func Title(e mechanism.Event) string { return title(Event(e)) }

// TitleOf is an event as it was written, if that was a short form, for the title of a figure, cut to its width.
func TitleOf(r mechanism.Range) string {
	if r.Written != "" {
		return title(r.Written)
	}
	return Title(r.LessPrivate)
}

func title(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// PageWidth is how wide text for people is.
const PageWidth = 80

// Wrap breaks prose into lines of at most width characters, as far as its words are short
// enough: at blanks, but not at blanks of equations. Every line but the first begins with
// indent.
func Wrap(text string, width int, indent string) []string {
	var lines []string
	line, start := "", true
	for word := range strings.SplitSeq(strings.ReplaceAll(text, " = ", "\u00a0=\u00a0"), " ") {
		word = strings.ReplaceAll(word, "\u00a0", " ")
		switch {
		case start:
			line, start = line+word, false
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = indent + word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// Paragraph is prose that wrap has broken, with margin before every line.
func Paragraph(margin, text string) string {
	var b strings.Builder
	for _, line := range Wrap(text, PageWidth-utf8.RuneCountInString(margin), "  ") {
		b.WriteString(margin + line + "\n")
	}
	return b.String()
}

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
