// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// YAML writes n as YAML in block style, a key or an item on each line: for people to
// read and to edit. Lists of numbers stay on one line, and prose is folded. Numbers keep
// their text, whatever it is; strings that YAML would take for something else are quoted.
// Positions are not written. A nil node is null.
func (n *Node) YAML() []byte {
	w := blockWriter{}
	w.value(n, 0, "")
	return w.Bytes()
}

// blockWidth is the width to which prose is folded.
const blockWidth = 92

type blockWriter struct{ bytes.Buffer }

// value writes a value and ends the line, with everything below it indented by indent
// columns. before is what stands between it and the key before it on the line.
func (w *blockWriter) value(n *Node, indent int, before string) {
	switch {
	case n == nil || n.Kind == Null:
		w.WriteString(before + "null\n")
	case n.Kind == Mapping && len(n.Entries) == 0:
		w.WriteString(before + "{}\n")
	case n.Kind == Mapping:
		w.lineBreak(before)
		for i, e := range n.Entries {
			if i > 0 || before != "" {
				w.margin(indent)
			}
			w.WriteString(plainOrQuoted(e.Key) + ":")
			w.value(e.Value, indent+2, " ")
		}
	case n.Kind == Sequence && !slices.ContainsFunc(n.Items, notNumber):
		texts := make([]string, len(n.Items))
		for i, x := range n.Items {
			texts[i] = x.Text
		}
		w.WriteString(before + "[" + strings.Join(texts, ", ") + "]\n")
	case n.Kind == Sequence:
		w.lineBreak(before)
		for i, x := range n.Items {
			if i > 0 || before != "" {
				w.margin(indent)
			}
			w.WriteString("- ")
			w.value(x, indent+2, "")
		}
	case n.Kind == String && before != "" && isProse(n.Text):
		w.WriteString(before + ">-\n")
		w.folded(n.Text, indent)
	case n.Kind == String:
		w.WriteString(before + plainOrQuoted(n.Text) + "\n")
	default:
		w.WriteString(before + n.Text + "\n")
	}
}

func notNumber(n *Node) bool { return n == nil || n.Kind != Number }

// lineBreak ends the line of a key, if there is one.
func (w *blockWriter) lineBreak(before string) {
	if before != "" {
		w.WriteByte('\n')
	}
}

func (w *blockWriter) margin(indent int) { w.WriteString(strings.Repeat(" ", indent)) }

// isProse reports whether text is long and can be broken at its blanks: every blank is
// single and between words, and all else is printable.
func isProse(text string) bool {
	if utf8.RuneCountInString(text) <= blockWidth || !strings.Contains(text, " ") {
		return false
	}
	for word := range strings.SplitSeq(text, " ") {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !strconv.IsPrint(r) }) {
			return false
		}
	}
	return true
}

// folded writes prose that a reader joins again with single blanks.
func (w *blockWriter) folded(text string, indent int) {
	column := 0
	for word := range strings.SplitSeq(text, " ") {
		length := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			w.margin(indent)
			column = indent + length
		case column+1+length > blockWidth:
			w.WriteByte('\n')
			w.margin(indent)
			column = indent + length
		default:
			w.WriteByte(' ')
			column += 1 + length
		}
		w.WriteString(word)
	}
	w.WriteByte('\n')
}

// plain are strings without a character that means something in YAML.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\pL[\pL\pN_.,/()+=<>-]*( [\pL\pN_.,/()+=<>-]+)*$`)
})

// plainWords are strings that some version of YAML takes for something else.
var plainWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
})

// plainOrQuoted writes a string on one line. YAML has all escapes of strconv.Quote, and they
// mean the same as long as the string is valid UTF-8.
func plainOrQuoted(s string) string {
	if plain().MatchString(s) && !plainWords().MatchString(s) {
		return s
	}
	return strconv.Quote(s)
}
