// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A node is a scalar, a list or a mapping of a claims file. What a scalar means otherwise, such as
// whether it is a number, its reader decides from the text.
type node struct {
	kind   byte // 's'calar, 'l'ist or 'm'apping
	text   string
	quoted bool // a string for sure
	keys   []string
	items  []*node
}

func (n *node) get(key string) *node {
	if n.kind == 'm' {
		for i, k := range n.keys {
			if k == key {
				return n.items[i]
			}
		}
	}
	return nil
}

func (n *node) put(key string, v *node) {
	rejectIf(n.get(key) != nil || len(n.keys) == 1000, "%q is given twice, or among too many", key)
	n.keys, n.items = append(n.keys, key), append(n.items, v)
}

const maxDepth = 100

// parse reads a document: JSON, or the YAML that is understood. That is block and flow mappings
// and lists, plain, quoted and literal scalars, comments, anchors. Everything else is an error:
// tags, several documents, "? " keys, tabs, merges, keys other than words.
func parse(data []byte, isJSON bool) *node {
	if isJSON {
		f := flow{text: strings.NewReplacer("\t", " ", "\r", " ").Replace(string(data))}
		rejectIf(!json.Valid(data), "not JSON")
		n, _ := f.value(0)
		return n
	}
	rejectIf(!utf8.Valid(data) || bytes.ContainsAny(data, "\x00\t\ufeff\u0085\u2028\u2029"), "not UTF-8, or with tabs or unusual line ends")
	y := &yaml{anchors: make(map[string]*node)}
	for k, raw := range strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n") {
		text := strings.TrimLeft(raw, " ")
		l := line{len(raw) - len(text), strings.TrimRight(text, " "), raw}
		if strings.HasPrefix(text, "#") || l.text == "---" && l.indent == 0 && !y.skip() {
			l.text = ""
		}
		for _, mark := range []string{"---", "...", "%"} {
			rejectIf(l.indent == 0 && strings.HasPrefix(l.text, mark), "line %d: %q is not understood", k+1, text)
		}
		y.lines = append(y.lines, l)
	}
	rejectIf(!y.skip(), "an empty document")
	n := y.block(y.lines[y.i].indent, 0)
	y.failIf(y.skip(), "an indentation that fits nothing before it")
	return n
}

type yaml struct {
	lines   []line
	i       int
	read    int // characters, of values that go on
	anchors map[string]*node
}

type line struct {
	indent int
	text   string // without the indentation; "" for blank lines and comments
	raw    string
}

func (y *yaml) failIf(wrong bool, format string, args ...any) {
	rejectIf(wrong, "line %d: %s", min(y.i+1, len(y.lines)), fmt.Sprintf(format, args...))
}

// skip goes to the next line with content, and reports whether there is one.
func (y *yaml) skip() bool {
	for y.i < len(y.lines) && y.lines[y.i].text == "" {
		y.i++
	}
	return y.i < len(y.lines)
}

func isItem(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// block reads the list, mapping or scalar whose lines have this indentation.
func (y *yaml) block(indent, depth int) *node {
	y.failIf(depth > maxDepth, "nested too deep")
	n := &node{kind: 'm'}
	if text := y.lines[y.i].text; isItem(text) {
		n.kind = 'l'
	} else if _, _, ok := splitKey(text); !ok {
		return y.value(text, indent-1)
	}
	for y.skip() && y.lines[y.i].indent == indent && isItem(y.lines[y.i].text) == (n.kind == 'l') {
		l := &y.lines[y.i]
		if n.kind == 'm' {
			key, rest, ok := splitKey(l.text)
			y.failIf(!ok, "want a key and a colon")
			n.put(key, y.after(rest, indent, depth, true))
			continue
		}
		rest := strings.TrimLeft(l.text[1:], " ")
		if _, _, ok := splitKey(rest); ok || isItem(rest) { // a block that begins on this line
			l.indent, l.text = indent+len(l.text)-len(rest), rest
			n.items = append(n.items, y.block(l.indent, depth+1))
		} else {
			n.items = append(n.items, y.after(rest, indent, depth, false))
		}
	}
	y.failIf(y.skip() && y.lines[y.i].indent > indent, "more indented than what is before it")
	return n
}

// splitKey splits "key: rest".
func splitKey(text string) (key, rest string, ok bool) {
	k := 0
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		f := flow{text: text}
		n, ok := f.scalar()
		if !ok {
			return "", "", false
		}
		key, k = n.text, f.i
	} else {
		for k < len(text) && (text[k] == '_' || text[k] >= '0' && text[k] <= '9' || text[k]|32 >= 'a' && text[k]|32 <= 'z') {
			k++
		}
		key = text[:k]
	}
	if k == 0 || !strings.HasPrefix(text[k:]+" ", ": ") {
		return "", "", false
	}
	return key, strings.TrimLeft(text[k+1:], " "), true
}

// after reads the value after a key or a dash at this indentation; y.i is at its line.
func (y *yaml) after(rest string, indent, depth int, ofKey bool) *node {
	if strings.HasPrefix(rest, "&") {
		name, more, _ := strings.Cut(rest[1:], " ")
		y.anchors[name] = y.after(strings.TrimLeft(more, " "), indent, depth, ofKey)
		return y.anchors[name]
	}
	if rest != "" && rest[0] != '#' {
		return y.value(rest, indent)
	}
	y.i++
	if y.skip() {
		if l := y.lines[y.i]; l.indent > indent || ofKey && l.indent == indent && isItem(l.text) {
			return y.block(l.indent, depth+1)
		}
	}
	return &node{kind: 's', text: "null"}
}

// value reads a value that begins with text on the line y.i, and goes on in lines that are
// more indented.
func (y *yaml) value(text string, indent int) *node {
	y.i++
	n := &node{kind: 's'}
	more := func() (string, bool) { // the next line, if it belongs to this value
		if y.i == len(y.lines) || y.lines[y.i].text == "" || y.lines[y.i].indent <= indent {
			return "", false
		}
		y.i++
		y.read += len(text) + len(n.text)
		y.failIf(y.read > 1<<24, "values that are too long")
		return y.lines[y.i-1].text, true
	}
	switch text[0] {
	case '|', '>': // a text, of which nothing is used
		var lines []string
		for y.i < len(y.lines) && (strings.TrimSpace(y.lines[y.i].raw) == "" || y.lines[y.i].indent > indent) {
			lines = append(lines, y.lines[y.i].raw+"\n")
			y.i++
		}
		n.text = strings.Join(lines, "")
		n.quoted = true
		return n
	case '{', '[', '"', '\'':
		for {
			f := flow{text: text}
			if n, ok := f.value(0); ok {
				rest := f.text[f.i:]
				left := strings.TrimLeft(rest, " ")
				y.failIf(left != "" && (left[0] != '#' || left == rest), "%q follows a value", rest)
				return n
			}
			l, ok := more()
			y.failIf(!ok, "a value without an end")
			text += "\n" + l
		}
	case '*':
		n = y.anchors[text[1:]]
		y.failIf(n == nil, "%s is not defined", text)
		return n
	}
	for l, ok := text, true; ok; l, ok = more() {
		before, _, comment := strings.Cut(l, " #")
		n.text = strings.TrimLeft(n.text+" "+strings.TrimRight(before, " "), " ")
		if comment {
			break
		}
	}
	checkPlain(n.text)
	return n
}

func checkPlain(text string) {
	rejectIf(text == "" || strings.ContainsAny(text[:1], "&*!|>%@`,]}?#\"'{[:") || strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || isItem(text), "%q is not understood", text)
}

// A flow is a value in braces, brackets or quotes, or JSON. Its methods return false where the
// text ends too early.
type flow struct {
	text string
	i    int
}

// next is the next character that is no space and not in a comment; 0 at the end.
func (f *flow) next() byte {
	for ; f.i < len(f.text); f.i++ {
		switch c := f.text[f.i]; {
		case c == '#' && f.i > 0 && strings.IndexByte(" \n", f.text[f.i-1]) >= 0:
			f.i += strings.IndexByte(f.text[f.i:]+"\n", '\n') - 1
		case c != ' ' && c != '\n':
			return c
		}
	}
	return 0
}

func (f *flow) value(depth int) (n *node, ok bool) {
	open := f.next()
	rejectIf(depth > maxDepth, "nested too deep")
	if open != '{' && open != '[' {
		return f.scalar()
	}
	n = &node{kind: 'l'}
	if open == '{' {
		n.kind = 'm'
	}
	f.i++
	for f.next() != open+2 { // ] and } are two characters after [ and {
		v, ok := f.value(depth + 1)
		if !ok {
			return nil, false
		}
		if n.kind == 'm' {
			if c := f.next(); c == 0 {
				return nil, false
			} else if c != ':' || v.kind != 's' {
				reject("want a key and a colon")
			}
			f.i++
			key := v.text
			if v, ok = f.value(depth + 1); !ok {
				return nil, false
			}
			n.put(key, v)
		} else {
			n.items = append(n.items, v)
		}
		if c := f.next(); c == ',' {
			f.i++
		} else if c == 0 {
			return nil, false
		} else if c != open+2 {
			reject("want a comma")
		}
	}
	f.i++
	return n, true
}

// scalar reads a quoted or plain scalar.
func (f *flow) scalar() (*node, bool) {
	if f.i == len(f.text) {
		return nil, false
	}
	start, quote := f.i, f.text[f.i]
	if quote != '"' && quote != '\'' {
		for f.i < len(f.text) && strings.IndexByte(",[]{}\n", f.text[f.i]) < 0 &&
			!strings.HasPrefix(f.text[f.i:], ": ") && !strings.HasPrefix(f.text[f.i:], ":\n") && !strings.HasPrefix(f.text[f.i:], " #") {
			f.i++
		}
		n := &node{kind: 's', text: strings.TrimRight(f.text[start:f.i], " ")}
		if f.i == len(f.text) {
			return nil, false
		}
		checkPlain(n.text)
		return n, true
	}
	var b strings.Builder // JSON, with line ends that are folded
	for f.i++; f.i < len(f.text); f.i++ {
		switch c := f.text[f.i]; {
		case c == quote && quote == '\'' && strings.HasPrefix(f.text[f.i:], "''"):
			b.WriteByte(c)
			f.i++
		case c == quote:
			f.i++
			n := &node{kind: 's', quoted: true, text: b.String()}
			rejectIf(quote == '"' && json.Unmarshal([]byte(`"`+n.text+`"`), &n.text) != nil, "%q has an escape that is not understood", n.text)
			return n, true
		case c == '\n':
			b.WriteByte(' ')
		case c == '\\' && quote == '"' && f.i+1 < len(f.text):
			b.WriteString(f.text[f.i : f.i+2])
			f.i++
		default:
			b.WriteByte(c)
		}
	}
	return nil, false
}
