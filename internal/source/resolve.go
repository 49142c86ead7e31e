// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package source

import (
	"fmt"
	"os"
	"strings"

	"dpverify/ask/importer"
	"dpverify/internal/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

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
