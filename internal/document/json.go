// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"dpverify/internal/show"
)

// MaxDepth is how deep sequences and mappings may nest: a scalar has depth 0.
const MaxDepth = 200

// An Option changes how ParseJSON reads.
type Option func(*parser)

// FirstLine numbers the first line of the data n instead of 1, for a document
// that is one line of a longer stream.
func FirstLine(n int) Option { return func(p *parser) { p.line = n } }

// ParseJSON reads exactly one JSON value. It is strict: duplicate keys, data
// after the value, nesting beyond the limit, invalid UTF-8, unpaired surrogate
// escapes and bare NaN or Infinity are errors.
//
// The error is always a *SyntaxError. It points to the first character of the
// token at fault, or past the last character when the data ends too early.
func ParseJSON(data []byte, opts ...Option) (*Node, error) {
	p := parser{data: data, line: 1, column: 1}
	for _, opt := range opts {
		opt(&p)
	}
	if i := invalidUTF8(data); i >= 0 {
		p.advance(i)
		return nil, p.errorf("invalid UTF-8")
	}
	p.dec = json.NewDecoder(bytes.NewReader(data))
	p.dec.UseNumber()
	root, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.skipSpace(); p.offset < len(data) {
		return nil, p.errorf("unexpected data after the document")
	}
	return root, nil
}

// parser walks the tokens of encoding/json and adds what they lack: positions
// and the checks that library leaves out. offset, line and column move forward
// together and only once over the data, so the whole pass is linear.
type parser struct {
	data         []byte
	dec          *json.Decoder
	offset       int
	line, column int
}

// advance moves the position to the byte offset to.
func (p *parser) advance(to int) {
	for p.offset < to {
		if p.data[p.offset] == '\n' {
			p.line++
			p.column = 1
			p.offset++
			continue
		}
		_, size := utf8.DecodeRune(p.data[p.offset:])
		p.column++
		p.offset += size
	}
}

func (p *parser) skipSpace() {
	for p.offset < len(p.data) && strings.IndexByte(" \t\r\n", p.data[p.offset]) >= 0 {
		p.advance(p.offset + 1)
	}
}

// skipSeparators moves over what the decoder skipped before the token it just
// returned: space, and the one comma or colon that it checked by itself.
func (p *parser) skipSeparators() {
	p.skipSpace()
	if c := p.data[p.offset]; c == ',' || c == ':' {
		p.advance(p.offset + 1)
		p.skipSpace()
	}
}

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{Line: p.line, Column: p.column, Msg: fmt.Sprintf(format, args...)}
}

// token returns the next token and its source text. The position is left on
// the token's first character, so that the caller can record it.
func (p *parser) token() (json.Token, []byte, error) {
	tok, err := p.dec.Token()
	if err == nil {
		p.skipSeparators()
		return tok, p.data[p.offset:p.dec.InputOffset()], nil
	}
	// The decoder stops in front of the token that it rejects.
	p.advance(int(p.dec.InputOffset()))
	p.skipSpace()
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		p.advance(len(p.data))
		err = p.errorf("unexpected end of the document")
	case notFinite(p.data[p.offset:]) != "":
		err = p.errorf("%s is not a JSON number", notFinite(p.data[p.offset:]))
	case bytes.HasPrefix(p.data[p.offset:], []byte("\ufeff")):
		err = p.errorf("a byte order mark, want UTF-8 without one")
	case errors.As(err, &syntax):
		err = p.errorf("%s", p.wholeRune(syntax.Error()))
	default:
		err = p.errorf("invalid JSON value")
	}
	return nil, nil, err
}

// wholeRune returns a message of the decoder, which has the first byte of a character that it rejects, with the
// character.
func (p *parser) wholeRune(message string) string {
	r, size := utf8.DecodeRune(p.data[p.offset:])
	if size < 2 {
		return message
	}
	return strings.Replace(message, strconv.QuoteRune(rune(p.data[p.offset])), strconv.QuoteRune(r), 1)
}

// value reads one value that is nested inside depth sequences and mappings.
func (p *parser) value(depth int) (*Node, error) {
	tok, raw, err := p.token()
	if err != nil {
		return nil, err
	}
	return p.valueFrom(tok, raw, depth)
}

// valueFrom reads the value whose first token was just read.
func (p *parser) valueFrom(tok json.Token, raw []byte, depth int) (*Node, error) {
	n := &Node{Line: p.line, Column: p.column}
	switch tok := tok.(type) {
	case nil:
		n.Kind, n.Text = Null, "null"
	case bool:
		n.Kind, n.Text = Bool, string(raw)
	case json.Number:
		n.Kind, n.Text = Number, tok.String()
	case string:
		if unpairedSurrogate(raw) {
			return nil, p.errorf("unpaired surrogate in a string")
		}
		n.Kind, n.Text = String, tok
	case json.Delim:
		if depth >= MaxDepth {
			return nil, p.errorf("nested deeper than %d levels", MaxDepth)
		}
		p.advance(p.offset + 1)
		if tok == '[' {
			return n, p.sequence(n, depth+1)
		}
		return n, p.mapping(n, depth+1)
	}
	p.advance(p.offset + len(raw))
	return n, nil
}

func (p *parser) sequence(n *Node, depth int) error {
	n.Kind = Sequence
	for {
		tok, raw, err := p.token()
		if err != nil {
			return err
		}
		if tok == json.Delim(']') {
			p.advance(p.offset + 1)
			return nil
		}
		item, err := p.valueFrom(tok, raw, depth)
		if err != nil {
			return err
		}
		n.Items = append(n.Items, item)
	}
}

func (p *parser) mapping(n *Node, depth int) error {
	n.Kind = Mapping
	seen := map[string]bool{}
	for {
		tok, raw, err := p.token()
		if err != nil {
			return err
		}
		if tok == json.Delim('}') {
			p.advance(p.offset + 1)
			return nil
		}
		key, ok := tok.(string)
		switch {
		case !ok:
			return p.errorf("want a key, a string")
		case unpairedSurrogate(raw):
			return p.errorf("unpaired surrogate in a string")
		case seen[key]:
			return p.errorf("duplicate key %s", show.Quote(key))
		}
		seen[key] = true
		line := p.line
		p.advance(p.offset + len(raw))
		value, err := p.value(depth)
		if err != nil {
			return err
		}
		n.Entries = append(n.Entries, Entry{Key: key, Line: line, Value: value})
	}
}

// notFinite returns the name of the non-number that data starts with, if any:
// Python's json module prints these.
func notFinite(data []byte) string {
	for _, name := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if bytes.HasPrefix(data, []byte(name)) {
			return name
		}
	}
	return ""
}

// invalidUTF8 returns the offset of the first byte that is not part of a valid
// UTF-8 sequence, or -1. The json package would replace it silently.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
}

// escapes matches an escape of a JSON string: a pair of surrogates, half of one, or the first two bytes of another.
var escapes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]|(u[dD][89a-fA-F])|.)`)
})

// unpairedSurrogate reports whether the source text of a valid JSON string
// escapes half of a surrogate pair. The json package turns such a half into
// U+FFFD, which would make different strings, and different keys, equal.
func unpairedSurrogate(raw []byte) bool {
	return slices.ContainsFunc(escapes().FindAllSubmatchIndex(raw, -1), func(m []int) bool { return m[2] >= 0 })
}
