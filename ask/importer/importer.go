// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package importer turns what other programs write into claims that [certify.Decide] decides:
// the history of an accountant of Opacus, and deployments of the registry of OpenDP.
//
// A number is read as a number or not at all, and what is left out is said.
package importer

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"dpverify/certify"
	"dpverify/internal/document"
)

// A Source is a JSON or YAML file.
type Source struct {
	Name string // for errors
	Data []byte
}

func (s Source) parse() (*document.Node, error) {
	n, err := document.Parse(s.Data)
	if err != nil {
		err = document.Locate(s.Name, err)
	}
	return n, err
}

// base is the name of a file without its directory and ending.
func (s Source) base() string {
	if s.Name == "<stdin>" {
		return "stdin"
	}
	b := filepath.Base(s.Name)
	return strings.TrimSuffix(b, filepath.Ext(b))
}

// A Claim is an entry of a claims file, its fields in their usual order.
type Claim struct {
	ID         string          `json:"id"`
	Source     string          `json:"source,omitempty"`
	Note       string          `json:"note,omitempty"`
	Event      json.RawMessage `json:"event"`
	Claim      any             `json:"claim"`
	Derivation string          `json:"derivation,omitempty"`
}

// Encode returns a claims file: YAML with a key a line. It is read back first, so that what
// is written can be decided.
func Encode(claims []Claim) ([]byte, error) {
	data, err := json.Marshal(struct {
		Version int     `json:"version"`
		Claims  []Claim `json:"claims"`
	}{1, claims})
	if err != nil {
		return nil, err
	}
	n, err := document.ParseJSON(data)
	if err != nil {
		return nil, err
	}
	for _, c := range n.Get("claims").Items {
		unquote(c.Get("event"))
		unquote(c.Get("claim"))
	}
	out := n.YAML()
	back, err := certify.Parse("claims.yaml", out, nil)
	if err != nil {
		return nil, err
	}
	for _, c := range back {
		if c.Err != nil {
			return nil, c.Err
		}
	}
	return out, nil
}

// A point is the claim (ε, δ).
type point struct {
	Epsilon string `json:"epsilon"`
	Delta   string `json:"delta"`
}

// unquote makes numbers of the strings in a tree that spell one.
func unquote(n *document.Node) {
	if n.Kind == document.String {
		var r document.Reader
		if r.Literal("", &document.Node{Kind: document.Number, Text: n.Text}, ""); r.Err == nil {
			n.Kind = document.Number
		}
	}
	for _, x := range n.Items {
		unquote(x)
	}
	for _, e := range n.Entries {
		unquote(e.Value)
	}
}
