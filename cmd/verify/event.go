// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// eventHelp says how an event is given on the command line.
const eventHelp = `EVENT is a mechanism in the form of dp_accounting's DpEvent: JSON or YAML text,
the path of a file with such text (also as @path), or - for standard input.
"verify mechanisms" lists the classes and their fields.`

// askHelp is what the commands that ask about one event have to say besides.
const askHelp = eventHelp + `

Exit status: 0 it is answered, as accurately as wanted or not, 2 it could not be, 130
it was interrupted.`

// maxEventBytes bounds an event.
const maxEventBytes = 64 << 20

// An eventSource is where an event was read from.
type eventSource struct {
	name string // for errors; empty for the command line itself
	dir  string // that files named in it are relative to
	data []byte
}

// readEvent returns the text of an EVENT argument.
func readEvent(arg string, stdin io.Reader) (eventSource, error) {
	path, isPath := strings.CutPrefix(arg, "@")
	switch {
	case isPath && path == "":
		return eventSource{}, errors.New(`EVENT = "@", want a path after @`)
	case !isPath && strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return eventSource{dir: ".", data: []byte(arg)}, nil
	case !isPath && arg == "-":
		data, err := document.Contents("<stdin>", stdin, maxEventBytes)
		return eventSource{name: "<stdin>", dir: ".", data: data}, err
	}
	data, err := document.FileContents(path, maxEventBytes)
	if !isPath && errors.Is(err, fs.ErrNotExist) {
		return eventSource{}, fmt.Errorf("EVENT = %s, want {class_name: …}, the path of a file or -", show.Value(path))
	}
	return eventSource{name: path, dir: filepath.Dir(path), data: data}, err
}

// decodeEvent reads the event of an EVENT argument.
func decodeEvent(arg string, stdin io.Reader, binary64 bool) (mechanism.Event, error) {
	return decode(arg, stdin, binary64, mechanism.Decoder.Event)
}

// decodeRange reads the events that an EVENT argument may stand for; in binary64 there may be
// more than one.
func decodeRange(arg string, stdin io.Reader, binary64 bool) (mechanism.Range, error) {
	return decode(arg, stdin, binary64, mechanism.Decoder.RoundedEvent)
}

// decode reads an EVENT argument by a method of a decoder.
func decode[T any](arg string, stdin io.Reader, binary64 bool, by func(mechanism.Decoder, *document.Node, string) (T, error)) (x T, err error) {
	src, err := readEvent(arg, stdin)
	if err != nil {
		return x, err
	}
	node, err := document.Parse(src.data)
	if err != nil {
		return x, src.locate(err)
	}
	d := src.decoder()
	d.Binary64 = binary64
	x, err = by(d, node, "event")
	if err != nil {
		return x, src.locate(err)
	}
	return x, nil
}

// decoder decodes the source.
func (s eventSource) decoder() mechanism.Decoder {
	return mechanism.Decoder{Open: document.OpenIn(s.dir)}
}

// label is what errors call the source.
func (s eventSource) label() string { return cmp.Or(s.name, "EVENT") }

// locate adds the place to an error about the source.
func (s eventSource) locate(err error) error { return document.Locate(s.label(), err) }
