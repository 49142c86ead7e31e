// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// pageFiles are the files of the page, by name: any server of files serves it.
func pageFiles(root, version string) ([]file, error) {
	var files []file
	names, err := filepath.Glob(filepath.Join(root, "tools", "page", "static", "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		data = bytes.ReplaceAll(data, []byte(`"dpverify-VERSION"`), []byte(`"dpverify-`+version+`"`))
		data = bytes.ReplaceAll(data, []byte(`<span id="version"></span>`), []byte(`<span id="version">`+version+`</span>`))
		files = append(files, file{name: filepath.Base(name), data: data})
	}
	// Browsers show text, and save Markdown.
	for name, path := range map[string]string{"trust.txt": "trust.md", "format.txt": "format.md"} {
		data, err := os.ReadFile(filepath.Join(root, "docs", path))
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data})
	}
	goroot, err := run(exec.Command("go", "env", "GOROOT"))
	if err != nil {
		return nil, err
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(goroot), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	engine, err := program(root, version, "./tools/page/wasm", platform{"js", "wasm"})
	if err != nil {
		return nil, err
	}
	packed, err := packed(engine)
	if err != nil {
		return nil, err
	}
	files = append(files, file{name: "wasm_exec.js", data: glue}, file{name: "dpverify.wasm.xz", data: packed})
	return sorted(files), nil
}

// packed compresses the engine by the program xz: it is two thirds of what gzip makes of it, and no library in Go comes
// near. Instructions of WebAssembly are not aligned and have no neighbour that tells what they are: both contexts of
// LZMA only dilute its counts.
func packed(engine []byte) ([]byte, error) {
	c := exec.Command("xz", "--stdout", "--threads=1", "--check=crc32", "--lzma2=preset=6,dict=16MiB,lc=0,pb=0")
	c.Stdin = bytes.NewReader(engine)
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("the engine of the page is compressed by xz, of XZ Utils: %w", err)
	}
	return out, nil
}

// page is an archive of the page.
func (r *release) page() (map[string][]byte, error) {
	files, err := pageFiles(r.root, r.version)
	if err != nil {
		return nil, err
	}
	return archive(fmt.Sprintf("dpverify-%s-page", r.version), files)
}
