// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"encoding/json"
)

// JSON writes n as compact JSON with the entries in their order. Numbers keep
// their text; one that JSON cannot spell (YAML allows .5) becomes a string.
// Positions are not written. A nil node is null.
func (n *Node) JSON() []byte {
	var b bytes.Buffer
	n.write(&b)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	if n == nil {
		b.WriteString("null")
		return
	}
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Bool:
		if n.Text == "true" {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case Number:
		// Of the texts that are valid JSON only numbers start with one of these.
		if json.Valid([]byte(n.Text)) && bytes.IndexByte([]byte("-0123456789"), n.Text[0]) >= 0 {
			b.WriteString(n.Text)
		} else {
			writeString(b, n.Text)
		}
	case String:
		writeString(b, n.Text)
	case Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, e := range n.Entries {
			if i > 0 {
				b.WriteByte(',')
			}
			writeString(b, e.Key)
			b.WriteByte(':')
			e.Value.write(b)
		}
		b.WriteByte('}')
	}
}

// Indented returns v as indented JSON that ends with a newline.
func Indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Line returns v as JSON in one line that ends with a newline.
func Line(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return b.Bytes(), err
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	// A string always encodes, and a Buffer never fails.
	_ = enc.Encode(s)
	b.Truncate(b.Len() - 1) // Encode ends with a newline
}
