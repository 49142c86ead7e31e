// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sums is the file with the checksums of a folder.
const sums = "SHA256SUMS"

// checksums are the checksums of files and of those that a folder has from earlier runs, as sha256sum -c reads them. A
// file that is gone is no longer listed; one that is not what was written is an error.
func checksums(out string, files map[string][]byte) ([]byte, error) {
	all, err := earlier(out)
	if err != nil {
		return nil, err
	}
	for name, data := range files {
		all[name] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if _, ok := files[name]; !ok {
			data, err := os.ReadFile(filepath.Join(out, name))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if fmt.Sprintf("%x", sha256.Sum256(data)) != all[name] {
				return nil, fmt.Errorf("%s is not what %s says, want it as it was written, or gone", filepath.Join(out, name), sums)
			}
		}
		fmt.Fprintf(&b, "%s  %s\n", all[name], name)
	}
	return []byte(b.String()), nil
}

// earlier are the checksums that stand in a folder, by the names of files.
func earlier(out string) (map[string]string, error) {
	all := make(map[string]string)
	path := filepath.Join(out, sums)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(data)) {
		hash, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok || filepath.Base(name) != name {
			return nil, fmt.Errorf("%s: %q, want a checksum, two blanks and the name of a file in the same folder", path, line)
		}
		all[name] = hash
	}
	return all, nil
}
