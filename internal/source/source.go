// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package source reads events and other texts that a command line names.
package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/shorthand"
)

// MaxBytes bounds a text.
const MaxBytes = 64 << 20

// A Source is a text of the outside, and from where it was read.
type Source struct {
	Name string // for errors; empty for the command line itself
	Dir  string // that files named in it are relative to
	Data []byte
}

// Argument returns the text of an EVENT argument: that text, a path, or - for standard input. A history
// of Opacus and a claim of a claims file, PATH#ID, become their events.
func Argument(arg string, stdin io.Reader) (Source, error) {
	s, id, err := argument(arg, stdin)
	if err != nil {
		return s, err
	}
	return s.resolve(id)
}

// argument returns what Argument does before it becomes an event, and the id of a claim.
func argument(arg string, stdin io.Reader) (s Source, id string, err error) {
	path, isPath := strings.CutPrefix(arg, "@")
	switch {
	case !isPath && shorthand.Looks(arg):
		data, err := json.Marshal(arg)
		return Source{Dir: ".", Data: data}, "", err
	case isPath && path == "":
		return Source{}, "", errors.New(`EVENT = "@", want a path after @`)
	case !isPath && strings.IndexAny(strings.TrimSpace(arg), "{[") == 0:
		return Source{Dir: ".", Data: []byte(arg)}, "", nil
	case !isPath && arg == "-":
		data, err := document.Contents("<stdin>", stdin, MaxBytes)
		return Source{Name: "<stdin>", Dir: ".", Data: data}, "", err
	}
	path, id = hash(path)
	data, err := document.FileContents(path, MaxBytes)
	if !isPath && errors.Is(err, fs.ErrNotExist) {
		return Source{}, "", fmt.Errorf("EVENT = %s, want {class_name: …}, a short form such as gaussian(1), the path of a file or -", show.Value(path))
	}
	return Source{Name: path, Dir: filepath.Dir(path), Data: data}, id, err
}

// Event reads the event of an EVENT argument.
func Event(arg string, stdin io.Reader, binary64 bool) (mechanism.Event, error) {
	return decode(arg, stdin, binary64, mechanism.Decoder.Event)
}

// Range reads the events that an EVENT argument may stand for; in binary64 there may be
// more than one.
func Range(arg string, stdin io.Reader, binary64 bool) (mechanism.Range, error) {
	return decode(arg, stdin, binary64, mechanism.Decoder.RoundedEvent)
}

// decode reads an EVENT argument by a method of a decoder.
func decode[T any](arg string, stdin io.Reader, binary64 bool, by func(mechanism.Decoder, *document.Node, string) (T, error)) (x T, err error) {
	src, err := Argument(arg, stdin)
	if err != nil {
		return x, err
	}
	node, err := document.Parse(src.Data)
	if err != nil {
		return x, src.Locate(err)
	}
	x, err = by(src.DecoderIn(binary64), node, "event")
	if err != nil {
		return x, src.Locate(err)
	}
	return x, nil
}

// Decoder decodes events of the source.
func (s Source) Decoder() mechanism.Decoder {
	return mechanism.Decoder{Open: document.OpenIn(s.Dir)}
}

// DecoderIn is Decoder for one of the two number formats.
func (s Source) DecoderIn(binary64 bool) mechanism.Decoder {
	d := s.Decoder()
	d.Binary64 = binary64
	return d
}

// Label is what errors call the source.
func (s Source) Label() string { return cmp.Or(s.Name, "EVENT") }

// Locate adds the place to an error about the source.
func (s Source) Locate(err error) error { return document.Locate(s.Label(), err) }

// File returns the text of a file, or of standard input for -.
func File(path string, stdin io.Reader) (Source, error) {
	if path == "-" {
		data, err := document.Contents("<stdin>", stdin, MaxBytes)
		return Source{Name: "<stdin>", Dir: ".", Data: data}, err
	}
	data, err := document.FileContents(path, MaxBytes)
	return Source{Name: path, Dir: filepath.Dir(path), Data: data}, err
}
