// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package source reads events and other texts that a command line names.
package source

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"dpverify/ask/importer"
	"dpverify/internal/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
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

// hash splits PATH#ID, where there is no file with all of that name.
func hash(path string) (file, id string) {
	at := strings.LastIndexByte(path, '#')
	if at <= 0 {
		return path, ""
	}
	if _, err := os.Stat(path); err == nil {
		return path, ""
	}
	return path[:at], path[at+1:]
}

// Paths returns the paths that EVENT arguments name, those of them that are paths.
func Paths(args []string) []string {
	var out []string
	for _, arg := range args {
		path, _ := hash(strings.TrimPrefix(arg, "@"))
		out = append(out, path)
	}
	return out
}

// isHistory reports whether a text is meant as a history of Opacus: a list, or a mapping that has
// one and is no event.
func isHistory(text []byte) bool {
	if s := strings.TrimSpace(string(text)); strings.HasPrefix(s, "[") {
		return true
	}
	n, err := document.Parse(text)
	return err == nil && n.Kind == document.Mapping && n.Get("history") != nil && n.Get("class_name") == nil
}

// resolve turns what stands for an event into the event: a history of Opacus, or the claim with an
// id in a claims file, which may be left out where there is only one.
func (s Source) resolve(id string) (Source, error) {
	if id == "" && isHistory(s.Data) {
		claim, err := importer.Opacus(importer.Source{Name: s.Label(), Data: s.Data}, "0", "0")
		s.Data = claim.Event
		return s, err
	}
	n, err := document.Parse(s.Data)
	if err != nil || n.Kind != document.Mapping || n.Get("claims") == nil || n.Get("class_name") != nil {
		if id != "" && err == nil {
			err = fmt.Errorf("#%s: there are no claims, want a claims file", show.Cut(id))
		}
		if id != "" {
			return s, s.Locate(err)
		}
		return s, nil // whoever reads it says what is wrong
	}
	return s.claimed(n.Get("claims"), id)
}

// claimed returns the event of a claim.
func (s Source) claimed(claims *document.Node, id string) (Source, error) {
	var ids []string
	var found []*document.Node
	for _, c := range claims.Items {
		name := c.Get("id")
		if name == nil {
			continue
		}
		ids = append(ids, show.Cut(name.Text))
		if id == "" || name.Text == id {
			found = append(found, c)
		}
	}
	file, some := s.Label(), prose.Few(ids, 8)
	switch {
	case id == "" && len(found) != 1:
		return s, fmt.Errorf("%s: %d claims, want PATH#ID with the id of one: %s; verify certify decides all of them",
			show.Name(file), len(found), some)
	case len(found) == 0:
		return s, fmt.Errorf("%s: no claim has the id %s, want one of %s", show.Name(file), show.Quote(id), some)
	case len(found) > 1:
		return s, fmt.Errorf("%s: %d claims have the id %s", show.Name(file), len(found), show.Quote(id))
	}
	claim := found[0]
	for _, key := range []string{"relation", "direction", "number_format"} {
		if x := claim.Get(key); x != nil {
			return s,
				fmt.Errorf("%s:%d: the claim states %s = %s, which an EVENT cannot: write the event out, and the flag --%s",
					show.Name(file), x.Line, key, document.Shown(x), strings.ReplaceAll(key, "_", "-"))
		}
	}
	event := claim.Get("event")
	if event == nil {
		return s, fmt.Errorf("%s:%d: event is missing", show.Name(file), claim.Line)
	}
	s.Data = event.JSON()
	return s, nil
}
