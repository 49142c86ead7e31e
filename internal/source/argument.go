// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/shorthand"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Argument returns the text of an EVENT argument: that text, a path, or - for standard input. A history
// of Opacus and a claim of a claims file, PATH#ID, become their events.
func Argument(ctx context.Context, arg string, stdin io.Reader) (Source, error) {
	s, id, err := argument(ctx, arg, stdin)
	if err != nil {
		return s, err
	}
	return s.resolve(id)
}

// argument returns what Argument does before it becomes an event, and the id of a claim.
func argument(ctx context.Context, arg string, stdin io.Reader) (s Source, id string, err error) {
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
		data, err := document.Contents(ctx, "<stdin>", stdin, MaxBytes)
		return Source{Name: "<stdin>", Dir: ".", Data: data}, "", err
	}
	path, id = hash(path)
	data, err := document.FileContents(ctx, path, MaxBytes)
	if !isPath && errors.Is(err, fs.ErrNotExist) {
		return Source{}, "",
			fmt.Errorf("EVENT = %s, want {class_name: …}, a short form such as gaussian(1), the path of a file or -",
				show.Value(path))
	}
	return Source{Name: path, Dir: filepath.Dir(path), Data: data}, id, err
}

// Event reads the event of an EVENT argument.
func Event(ctx context.Context, arg string, stdin io.Reader, binary64 bool) (mechanism.Event, error) {
	return decode(ctx, arg, stdin, binary64, mechanism.Decoder.Event)
}

// Range reads the events that an EVENT argument may stand for; in binary64 there may be
// more than one.
func Range(ctx context.Context, arg string, stdin io.Reader, binary64 bool) (mechanism.Range, error) {
	return decode(ctx, arg, stdin, binary64, mechanism.Decoder.RoundedEvent)
}

// decode reads an EVENT argument by a method of a decoder.
func decode[T any](ctx context.Context, arg string, stdin io.Reader, binary64 bool,
	by func(mechanism.Decoder, *document.Node, string) (T, error)) (x T, err error) {
	src, err := Argument(ctx, arg, stdin)
	if err != nil {
		return x, err
	}
	node, err := document.Parse(src.Data)
	if err != nil {
		return x, src.Locate(err)
	}
	x, err = by(src.DecoderIn(ctx, binary64), node, "event")
	if err != nil {
		return x, src.Locate(err)
	}
	return x, nil
}
