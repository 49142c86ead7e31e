// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
	"strings"

	"dpverify/internal/document"
)

// saysNothing are the fields of a claim on which its truth does not depend.
var saysNothing = []string{"id", "source", "note", "derivation", "orders", "expect"}

// fingerprint returns a hash of the content of a claim: all of its fields but the ones of
// saysNothing, whatever form they have, and the files that were opened for them.
func fingerprint(n *document.Node, files hash.Hash) string {
	says := &document.Node{Kind: n.Kind, Text: n.Text, Items: n.Items}
	for _, e := range n.Entries {
		if !slices.Contains(saysNothing, e.Key) {
			says.Entries = append(says.Entries, e)
		}
	}
	slices.SortStableFunc(says.Entries, func(a, b document.Entry) int { return strings.Compare(a.Key, b.Key) })
	files.Write(says.JSON())
	return hex.EncodeToString(files.Sum(nil))
}

// recorded returns open and a hash of all that is read through it: for every file its
// name, its bytes and their number.
func recorded(open func(string) (io.ReadCloser, error)) (func(string) (io.ReadCloser, error), hash.Hash) {
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
