// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"slices"
)

// sorted orders files by name.
func sorted(files []file) []file {
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return files
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
