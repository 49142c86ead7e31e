// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A node is a scalar, a list or a mapping of a claims file, or a text, of which nothing is used. What a scalar means
// otherwise, such as whether it is a number, its reader decides.
type node struct {
	kind  byte // 's'calar, 'w'ord for true, false or nothing, 'l'ist, 'm'apping or 't'ext; 0 is what is not there
	text  string
	keys  []string // of a mapping
	items []*node
}

func (n *node) get(key string) *node {
	if i := slices.Index(n.keys, key); i >= 0 {
		return n.items[i]
	}
	return new(node)
}

// put adds an item to a list, or to a mapping with a key as it is written, with a colon and perhaps quotes and blanks.
func (n *node) put(key string, item *node) {
	if key = strings.Trim(key, "\"': \n"); n.kind == 'm' {
		rejectIf(slices.Contains(n.keys, key) || len(n.keys) == 1000, "%q is given twice, or among too many", key)
		n.keys = append(n.keys, key)
	}
	n.items = append(n.items, item)
}

// parse reads a document: JSON, or the YAML that is understood. That is block and flow mappings and lists, plain,
// quoted and literal scalars, comments, anchors. Everything else is an error: tags, several documents, "? " keys, tabs,
// merges, keys other than words.
func parse(data []byte) *node {
	text := strings.ReplaceAll(string(data), "\r\n", "\n")
	if json.Valid(data) { // where tabs are blanks
		text = strings.ReplaceAll(text, "\t", " ")
	}
	rejectIf(!utf8.ValidString(text) || odd.MatchString(text), "not UTF-8, or tabs, control characters or odd line ends")
	s := &scanner{text: "\n" + text + "\n\x00", anchors: make(map[string]*node)}
	s.take(begin)
	s.failIf(marker.MatchString(s.text[s.at:]), "several documents, or what looks so")
	n := s.value(-1, '-')
	s.failIf(s.next() != 0 || n.kind == 'w', "nothing, or something that does not belong to what is before it")
	return n
}

// A scanner reads a text from its beginning to the 0 at its end.
type scanner struct {
	text      string
	at, depth int
	anchors   map[string]*node
}

// Parts of a text. U+FEFF, which marks the order of bytes, is odd; words go to the end of a line or a comment.
var (
	odd = regexp.MustCompile(`[^\n -~\x{a0}-\x{2027}\x{202a}-\x{d7ff}` +
		`\x{e000}-\x{fefe}\x{ff00}-\x{fffd}\x{10000}-\x{10ffff}]`)
	begin    = regexp.MustCompile(`^(?:[ \n]|#[^\n]*)*\n--- *\n`)
	marker   = regexp.MustCompile(`(?:^|\n)(?:---|\.\.\.)`)
	blanks   = regexp.MustCompile(`^(?:[ \n]|#[^\n]*)*`)
	dash     = regexp.MustCompile(`^-[ \n]`)
	key      = regexp.MustCompile(`^[0-9A-Za-z_]+:[ \n]`)
	flowKey  = regexp.MustCompile(`^(?:[0-9A-Za-z_]+:[ \n]|(?:"[0-9A-Za-z_]+"|'[0-9A-Za-z_]+')[ \n]*:)`)
	comma    = regexp.MustCompile(`^,`)
	quoted   = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')`)
	anchor   = regexp.MustCompile(`^[&*][0-9A-Za-z_-]+`)
	literal  = regexp.MustCompile(`^[|>][-+]? *\n(?: *\n)* *`)
	line     = regexp.MustCompile(`^[^\n]*\n *`)
	words    = regexp.MustCompile(`^[^ \n]+(?: +[^ #\n][^ \n]*)*`)
	flowWord = regexp.MustCompile(`^[^][{},:#"' \n\x00](?:[^][{},:#\n]*[^][{},:#\n ])?`) // to what is special in braces
	special  = regexp.MustCompile("^(?:$|[]&*!|>%@`,}?#\"'{[:]|-$|- |<<$|[-+]?0[0-7]+$)")
	lineEnd  = regexp.MustCompile(`^ *\n *`)
	fold     = regexp.MustCompile(` *\n *`)
)

func (s *scanner) failIf(wrong bool, why string) { rejectIf(wrong, "%s at %.40q", why, s.text[s.at:]) }

// take reads what a pattern fits here, if anything.
func (s *scanner) take(pattern *regexp.Regexp) string {
	found := pattern.FindString(s.text[s.at:])
	s.at += len(found)
	return found
}

// next skips blanks, line ends and comments, which have a blank or a line end before them, and returns what comes then.
func (s *scanner) next() byte {
	s.failIf(s.text[s.at] == '#' && s.text[s.at-1] > ' ', "a comment that begins in a word")
	s.take(blanks)
	return s.text[s.at]
}

// before is what the line has before this.
func (s *scanner) before() string { return s.text[strings.LastIndexByte(s.text[:s.at], '\n')+1 : s.at] }

// value reads a value after a dash, a colon or an anchor & of the block whose lines begin in the column outer, or after
// a comma, in braces. A block has lines of its own, or begins after a dash. It is indented more than what it is in, but
// a list perhaps only as much as its key.
func (s *scanner) value(outer int, after byte) *node {
	s.depth++
	defer func() { s.depth-- }()
	s.failIf(s.depth > maxDepth, "nested too deep")
	first := s.next()
	if after != ',' {
		column, rest := len(s.before()), s.text[s.at:]
		block := after == '-' || strings.Trim(s.before(), " ") == ""
		switch isItem := dash.MatchString(rest); {
		case first == 0 || column < outer || column == outer && !(isItem && after == ':'):
			return &node{kind: 'w', text: "null"}
		case block && isItem:
			return s.block(&node{kind: 'l'}, column, dash, '-')
		case block && key.MatchString(rest):
			return s.block(&node{kind: 'm'}, column, key, ':')
		}
	}
	switch {
	case first == '"' || first == '\'':
		return unquoted(s.take(quoted))
	case first == '[':
		return s.flow(&node{kind: 'l'}, ']', outer)
	case first == '{':
		return s.flow(&node{kind: 'm'}, '}', outer)
	case after == ',':
		return plain(s.take(flowWord))
	case first == '&' && after != '&':
		name := s.take(anchor)
		s.failIf(s.text[s.at] > ' ', "an anchor that is not understood")
		n := s.value(outer, '&')
		s.anchors[strings.Trim(name, "&")] = n
		return n
	case first == '*':
		n := s.anchors[strings.Trim(s.take(anchor), "*")]
		s.failIf(n == nil, "an alias that is not defined")
		return n
	case first == '|' || first == '>':
		head := strings.Split(s.take(literal), "\n")
		column := max(len(s.before()), outer+1)
		wide := func(blank string) bool { return len(blank) > column }
		s.failIf(len(head) == 1 || slices.ContainsFunc(head[1:], wide), "a text of lines that is not understood")
		for s.text[s.at] == '\n' || s.text[s.at] != 0 && len(s.before()) >= column {
			s.take(line)
		}
		return &node{kind: 't'}
	}
	lines := []string{s.take(words)}
	for s.take(lineEnd) != "" && len(s.before()) > outer && !strings.Contains("\n#\x00", s.text[s.at:s.at+1]) {
		lines = append(lines, s.take(words))
	}
	return plain(strings.Join(lines, " "))
}

// block reads the items of a list or a mapping, whose dashes or keys are in a column.
func (s *scanner) block(n *node, column int, mark *regexp.Regexp, after byte) *node {
	for ; len(s.before()) == column && mark.MatchString(s.text[s.at:]); s.next() {
		n.put(s.take(mark), s.value(column, after))
	}
	return n
}

// flow reads the items of a list or a mapping in brackets or braces, which are not left of the block they are in.
func (s *scanner) flow(n *node, end byte, outer int) *node {
	for s.at++; s.next() != end; {
		s.failIf(len(s.before()) <= outer, "indented too little")
		name := ""
		if n.kind == 'm' {
			name = s.take(flowKey)
			s.failIf(name == "", "want a key and a colon")
		}
		n.put(name, s.value(outer, ','))
		s.failIf(s.next() != end && s.take(comma) == "", "want a comma")
	}
	s.at++
	return n
}

// unquoted is a scalar in quotes, with blanks for its line ends, and escapes as in JSON.
func unquoted(t string) *node {
	n := &node{kind: 's'}
	blank := strings.Contains(strings.ReplaceAll(t, " ", ""), "\n\n")
	rejectIf(t == "" || blank, "quotes without an end, or with a blank line")
	if t = fold.ReplaceAllString(t, " "); t[0] == '"' {
		rejectIf(json.Unmarshal([]byte(t), &n.text) != nil, "%s has an escape that is not understood", t)
	} else {
		n.text = strings.ReplaceAll(t[1:len(t)-1], "''", "'")
	}
	return n
}

// plain is a scalar without quotes. What means more to YAML is not understood, nor what was octal to it once: 012.
func plain(text string) *node {
	rejectIf(special.MatchString(text) || strings.Contains(text+" ", ": "), "%q is not understood", text)
	word := slices.Contains(strings.Fields("true True TRUE false False FALSE null Null NULL ~"), text)
	return &node{kind: map[bool]byte{true: 'w', false: 's'}[word], text: text}
}
