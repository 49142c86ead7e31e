// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package fingerprint hashes the content of claims, so that results are told from those of other claims.
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"

	"dpverify/internal/document"
)

// Fields of a claim on which its truth does not depend: names say nothing, and on asides depends what a report says.
var (
	names  = []string{"id", "source", "note"}
	asides = []string{"derivation", "orders", "expect"}
)

// Of returns a hash of the content of a claim: all of its fields but names and asides, whatever form they have, and
// the files that were opened for them.
func Of(n *document.Node, files hash.Hash) string {
	files.Write(those(n, func(key string) bool {
		return !slices.Contains(names, key) && !slices.Contains(asides, key)
	}).JSON())
	return hex.EncodeToString(files.Sum(nil))
}

// OfAsides returns a hash of the asides of a claim; "" if it has none.
func OfAsides(n *document.Node) string {
	says := those(n, func(key string) bool { return slices.Contains(asides, key) })
	if len(says.Entries) == 0 {
		return ""
	}
	sum := sha256.Sum256(says.JSON())
	return hex.EncodeToString(sum[:])
}

// those returns a claim with some of its fields, in the order of their names.
func those(n *document.Node, kept func(key string) bool) *document.Node {
	says := &document.Node{Kind: n.Kind, Text: n.Text, Items: n.Items}
	for _, e := range n.Entries {
		if kept(e.Key) {
			says.Entries = append(says.Entries, e)
		}
	}
	slices.SortStableFunc(says.Entries, func(a, b document.Entry) int { return strings.Compare(a.Key, b.Key) })
	return says
}

// Recorded returns open and a hash of all that is read through it: for every file its
// name, its bytes and their number.
func Recorded(open func(string) (io.ReadCloser, error)) (func(string) (io.ReadCloser, error), hash.Hash) {
	all := sha256.New()
	if open == nil {
		return nil, all
	}
	return func(path string) (io.ReadCloser, error) {
		f, err := open(path)
		if err != nil {
			return nil, err
		}
		return &recorder{file: f, name: path, sum: sha256.New(), all: all}, nil
	}, all
}

// A recorder hashes a file as it is read.
type recorder struct {
	file io.ReadCloser
	name string
	sum  hash.Hash
	all  hash.Hash
}

func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.file.Read(b)
	r.sum.Write(b[:n])
	return n, err
}

// Close adds the file to the hash of all.
func (r *recorder) Close() error {
	name := sha256.Sum256([]byte(r.name))
	r.all.Write(name[:])
	r.all.Write(r.sum.Sum(nil))
	return r.file.Close()
}
