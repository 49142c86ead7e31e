// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Release builds what people install: programs for six platforms with completions and manual
// pages, Python wheels, the vectors, the page, a list of what is inside, and checksums.
//
//	go run ./tools/release               # all of it, into dist
//	go run ./tools/release -only wheels
//
// The same sources and the same Go give the same bytes, on every machine. The version is that
// of the tag.
package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("o", "dist", "the directory to write into")
	only := flag.String("only", "", "parts to build, with commas between: "+
		strings.Join(slices.Sorted(maps.Keys(parts)), ", ")+" (default: all)")
	here := flag.Bool("here", false, "for this platform only")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("%d arguments, want none", flag.NArg())
	}
	if err := build(".", *out, *only, *here); err != nil {
		log.Fatal(err)
	}
}

// parts build files of a release, by name.
var parts = map[string]func(*release) (map[string][]byte, error){
	"programs": (*release).programs,
	"wheels":   (*release).wheels,
	"vectors":  (*release).vectors,
	"page":     (*release).page,
	"sbom":     (*release).sbom,
}

// build writes a release of the project in root into a directory, with checksums of all files that runs have written
// there.
func build(root, out, only string, here bool) error {
	version, err := describe(root)
	if err != nil {
		return err
	}
	r := &release{root: root, version: version, platforms: platforms, built: make(map[string][]byte)}
	if here {
		r.platforms = []platform{host()}
	}
	names := slices.Sorted(maps.Keys(parts))
	if only != "" {
		names = strings.Split(only, ",")
	}
	files := make(map[string][]byte)
	for _, name := range names {
		part, ok := parts[name]
		if !ok {
			return fmt.Errorf("-only = %q, want some of %s", name, strings.Join(slices.Sorted(maps.Keys(parts)), ", "))
		}
		made, err := part(r)
		if err != nil {
			return err
		}
		maps.Copy(files, made)
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	list, err := checksums(out, files)
	if err != nil {
		return err
	}
	names = slices.Sorted(maps.Keys(files))
	files[sums] = list
	for _, name := range append(names, sums) {
		if err := os.WriteFile(filepath.Join(out, name), files[name], 0o666); err != nil {
			return err
		}
		if _, err := fmt.Printf("%9d %s\n", len(files[name]), filepath.Join(out, name)); err != nil {
			return err
		}
	}
	return nil
}

// programs are archives with the command, completions for shells and manual pages.
func (r *release) programs() (map[string][]byte, error) {
	help, err := r.help()
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	for _, p := range r.platforms {
		data, err := r.program(p)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("dpverify-%s-%s", r.version, p)
		files, err := r.read(name+"/", "LICENSE", "README.md", "CHANGELOG.md")
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name + "/" + p.exe("verify"), data: data, executable: true})
		for _, f := range help {
			files = append(files, file{name: name + "/" + f.name, data: f.data})
		}
		archive, ending := tarred, ".tar.gz"
		if p.system == "windows" {
			archive, ending = zipped, ".zip"
		}
		if out[name+ending], err = archive(files); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wheels are the Python package with the command inside.
func (r *release) wheels() (map[string][]byte, error) {
	version := pythonVersion(r.version)
	out := make(map[string][]byte)
	for _, p := range r.platforms {
		data, err := r.program(p)
		if err != nil {
			return nil, err
		}
		files, err := wheel(os.DirFS(r.root), version, p, data)
		if err != nil {
			return nil, err
		}
		if out[wheelName(version, p)], err = zipped(files); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// vectors is an archive of the test vectors and their schemas.
func (r *release) vectors() (map[string][]byte, error) {
	var names []string
	for _, pattern := range []string{"vectors/v1/*.json", "docs/schema/*.json", "docs/vectors.md", "LICENSE"} {
		found, err := fs.Glob(os.DirFS(r.root), pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	files, err := r.read("", names...)
	if err != nil {
		return nil, err
	}
	return archive(fmt.Sprintf("dpverify-%s-vectors", r.version), files)
}

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

// sbom lists what is linked into the programs, as CycloneDX 1.5.
func (r *release) sbom() (map[string][]byte, error) {
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl"`
	}
	library := func(path, version string) component {
		url := "pkg:golang/" + path + "@" + version
		return component{"library", url, path, version, url}
	}
	seen := make(map[string]bool)
	var components []component
	add := func(c component) {
		if !seen[c.Ref] {
			seen[c.Ref] = true
			components = append(components, c)
		}
	}
	for _, p := range r.platforms {
		data, err := r.program(p)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("the program for %s: %w", p, err)
		}
		add(library("stdlib", info.GoVersion))
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			add(library(m.Path, m.Version))
		}
	}
	slices.SortFunc(components, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	main := component{"application", "pkg:generic/dpverify@" + r.version, "dpverify", r.version,
		"pkg:generic/dpverify@" + r.version}
	data, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": main},
		"components": components,
	}, "", "  ")
	return map[string][]byte{"dpverify-" + r.version + ".cdx.json": append(data, '\n')}, err
}
