// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package source reads events and other texts that a command line names.
package source

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"dpverify/internal/document"
	"dpverify/mechanism"
)

// MaxBytes bounds a text.
const MaxBytes = 64 << 20

// A Source is a text of the outside, and from where it was read.
type Source struct {
	Name string // for errors; empty for the command line itself
	Dir  string // that files named in it are relative to
	Data []byte
}

// Decoder decodes events of the source. What they name is read until ctx ends.
func (s Source) Decoder(ctx context.Context) mechanism.Decoder {
	return mechanism.Decoder{Open: document.OpenIn(ctx, s.Dir)}
}

// DecoderIn is Decoder for one of the two number formats.
func (s Source) DecoderIn(ctx context.Context, binary64 bool) mechanism.Decoder {
	d := s.Decoder(ctx)
	d.Binary64 = binary64
	return d
}

// Label is what errors call the source.
func (s Source) Label() string { return cmp.Or(s.Name, "EVENT") }

// Locate adds the place to an error about the source.
func (s Source) Locate(err error) error { return document.Locate(s.Label(), err) }

// File returns the text of a file, or of standard input for -, if ctx does not end before it.
func File(ctx context.Context, path string, stdin io.Reader) (Source, error) {
	if path == "-" {
		data, err := document.Contents(ctx, "<stdin>", stdin, MaxBytes)
		return Source{Name: "<stdin>", Dir: ".", Data: data}, err
	}
	data, err := document.FileContents(ctx, path, MaxBytes)
	return Source{Name: path, Dir: filepath.Dir(path), Data: data}, err
}
