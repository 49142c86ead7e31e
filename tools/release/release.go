// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"os"
	"path/filepath"
	"runtime"
)

// A release is what all parts share.
type release struct {
	root, version string
	platforms     []platform
	built         map[string][]byte // programs, by platform
}

// host is the platform that this runs on.
func host() platform { return platform{runtime.GOOS, runtime.GOARCH} }

// program returns the command verify for a platform; it is built once.
func (r *release) program(p platform) ([]byte, error) {
	if r.built[p.String()] == nil {
		data, err := program(r.root, r.version, "./cmd/verify", p)
		if err != nil {
			return nil, err
		}
		r.built[p.String()] = data
	}
	return r.built[p.String()], nil
}

// read returns files of the project under their names in an archive.
func (r *release) read(prefix string, names ...string) ([]file, error) {
	var files []file
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: prefix + filepath.ToSlash(name), data: data})
	}
	return files, nil
}
