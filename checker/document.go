// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A node is a scalar, a list or a mapping of a claims file, or a text, of which nothing is used. What a scalar means
// otherwise, such as whether it is a number, its reader decides.
type node struct {
	kind  byte // 's'calar, 'l'ist, 'm'apping or 't'ext; 0 is what is not there
	text  string
	keys  []string
	items []*node
}

func (n *node) get(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.items[i]
	}
	return new(node)
}

func (n *node) put(key string, v *node) {
	rejectIf(slices.Contains(n.keys, key) || len(n.keys) == 1000, "%q is given twice, or among too many", key)
	n.keys, n.items = append(n.keys, key), append(n.items, v)
}

const maxDepth = 100 // of braces and brackets, and of indentation

// parse reads a document: JSON, or the YAML that is understood. That is block and flow mappings
// and lists, plain, quoted and literal scalars, comments, anchors. Everything else is an error:
// tags, several documents, "? " keys, tabs, merges, keys of blocks other than words.
func parse(data []byte, isJSON bool) *node {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if isJSON {
		rejectIf(!json.Valid(data), "not JSON")
		return inline(strings.NewReplacer("\t", " ", "\r", " ").Replace(text))
	}
	rejectIf(!utf8.ValidString(text) || strings.ContainsAny(text, "\x00\t\r\ufeff\u0085\u2028\u2029"), "not UTF-8, or with tabs or unusual line ends")
	y := &yaml{anchors: make(map[string]*node)}
	for raw := range strings.SplitSeq(text, "\n") {
		l := line{len(raw) - len(strings.TrimLeft(raw, " ")), strings.Trim(raw, " ")}
		if strings.HasPrefix(l.text, "#") {
			l.text = ""
		}
		y.lines = append(y.lines, l)
	}
	if y.more() && y.lines[y.i] == (line{0, "---"}) {
		y.i++
	}
	rejectIf(!y.more(), "an empty document")
	n := y.block(y.lines[y.i].indent)
	y.failIf(y.more(), "an indentation that fits nothing before it")
	return n
}

type yaml struct {
	lines   []line
	i       int // the line that is read
	anchors map[string]*node
}

type line struct {
	indent int
	text   string // without the indentation; "" for blank lines and comments
}

func (y *yaml) failIf(wrong bool, format string, args ...any) {
	rejectIf(wrong, "line %d: %s", min(y.i+1, len(y.lines)), fmt.Sprintf(format, args...))
}

// more goes to the next line with content, and reports whether there is one.
func (y *yaml) more() bool {
	for y.i < len(y.lines) && y.lines[y.i].text == "" {
		y.i++
	}
	return y.i < len(y.lines)
}

var keyed = regexp.MustCompile(`^([0-9A-Za-z_]+):(?: +(.*))?$`) // key: rest

func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// block reads the list, mapping or scalar whose lines have this indentation.
func (y *yaml) block(indent int) *node {
	y.failIf(indent > maxDepth, "nested too deep")
	n := &node{kind: 'm'}
	if text := y.lines[y.i].text; isItem(text) {
		n.kind = 'l'
	} else if !keyed.MatchString(text) {
		return y.value(text, indent-1, false)
	}
	for y.more() && y.lines[y.i].indent == indent && isItem(y.lines[y.i].text) == (n.kind == 'l') {
		l := &y.lines[y.i]
		if n.kind == 'm' {
			m := keyed.FindStringSubmatch(l.text)
			y.failIf(m == nil, "want a key and a colon")
			n.put(m[1], y.value(m[2], indent, true))
			continue
		}
		rest := strings.TrimLeft(l.text[1:], " ") // a block that begins on this line, perhaps of a scalar
		l.indent, l.text = indent+len(l.text)-len(rest), rest
		n.items = append(n.items, y.block(l.indent))
	}
	y.failIf(y.more() && y.lines[y.i].indent > indent, "more indented than what is before it")
	return n
}

// value reads what is after a key or a dash with this indentation: text, and the lines that are more indented.
func (y *yaml) value(text string, indent int, ofKey bool) *node {
	if strings.HasPrefix(text, "&") {
		name, rest, _ := strings.Cut(text[1:], " ")
		n := y.value(strings.TrimLeft(rest, " "), indent, ofKey)
		y.anchors[name] = n
		return n
	}
	y.i++
	if text == "" || text[0] == '#' { // a block comes next, or nothing
		if y.more() && (y.lines[y.i].indent > indent || ofKey && y.lines[y.i].indent == indent && isItem(y.lines[y.i].text)) {
			return y.block(y.lines[y.i].indent)
		}
		return &node{kind: 's', text: "null"}
	}
	literal, all := text[0] == '|' || text[0] == '>', []string{text}
	for y.i < len(y.lines) && (y.lines[y.i].indent > indent && y.lines[y.i].text != "" || literal && y.lines[y.i].text == "") {
		all = append(all, y.lines[y.i].text)
		y.i++
	}
	switch text[0] {
	case '|', '>':
		y.failIf(strings.Trim(text[1:], "+-") != "", "%q is not understood", text)
		return &node{kind: 't'}
	case '*':
		n := y.anchors[text[1:]]
		y.failIf(n == nil || len(all) > 1, "%s is not defined", text)
		return n
	case '{', '[', '"', '\'':
		return inline(strings.Join(all, "\n"))
	}
	before, comment, _ := strings.Cut(strings.Join(all, "\n"), " #")
	y.failIf(strings.Contains(comment, "\n"), "a value that goes on after a comment")
	return plain(strings.ReplaceAll(strings.TrimRight(before, " "), "\n", " "))
}

// plain is a scalar without quotes. What means more to YAML is not understood.
func plain(text string) *node {
	rejectIf(text == "" || strings.ContainsAny(text[:1], "&*!|>%@`,]}?#\"'{[:") || strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || isItem(text), "%q is not understood", text)
	return &node{kind: 's', text: text}
}

// A flow is what is left to read of a value in braces, brackets or quotes, or of JSON.
type flow struct{ rest string }

// token is a quoted or plain scalar, a brace, bracket, comma or colon, with the blanks and comments before it.
var token = regexp.MustCompile(`^(?:[ \n]+#[^\n]*|[ \n])*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[][{},:]|[^][{},:#"' \n](?:[^][{},:#\n]*[^][{},:#\n ])?|$)`)

func (f *flow) next() string {
	m := token.FindStringSubmatch(f.rest)
	rejectIf(m == nil, "%.40q is not understood", f.rest)
	f.rest = f.rest[len(m[0]):]
	return m[1]
}

// inline reads a text that is one value.
func inline(text string) *node {
	f := &flow{text}
	n := f.value(f.next(), 0)
	rejectIf(f.next() != "", "more than one value in %.40q", text)
	return n
}

// value reads the value that begins with t.
func (f *flow) value(t string, depth int) *node {
	rejectIf(t == "" || depth > maxDepth, "a value without an end, or nested too deep")
	n, end := &node{kind: 's'}, "]"
	switch t[0] {
	case '"': // as in JSON, with line ends that are folded
		rejectIf(json.Unmarshal([]byte(strings.ReplaceAll(t, "\n", " ")), &n.text) != nil, "%s has an escape that is not understood", t)
		return n
	case '\'':
		n.text = strings.NewReplacer("''", "'", "\n", " ").Replace(t[1 : len(t)-1])
		return n
	case '[':
		n = &node{kind: 'l'}
	case '{':
		n, end = &node{kind: 'm'}, "}"
	default:
		return plain(t)
	}
	for t = f.next(); t != end; {
		v := f.value(t, depth+1)
		if n.kind == 'm' {
			colon := v.kind == 's' && f.next() == ":" && (strings.ContainsAny(t[:1], `"'`) || strings.IndexAny(f.rest, " \n") == 0)
			rejectIf(!colon, "want a key and a colon")
			n.put(v.text, f.value(f.next(), depth+1))
		} else {
			n.items = append(n.items, v)
		}
		if t = f.next(); t == "," {
			t = f.next()
		} else {
			rejectIf(t != end, "want a comma before %q", t)
		}
	}
	return n
}
