// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// A wheel is a zip file with metadata: https://packaging.python.org/specifications/binary-distribution-format.
// This one holds the Python package, the vectors, and the program for one platform.

// tags are the platforms of wheels, by the platforms of Go. A static program needs no libc, so that a
// wheel for Linux serves glibc and musl. Go 1.26 needs macOS 12.
var tags = map[platform]string{
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// wheelName is the name of the wheel of a platform.
func wheelName(version string, p platform) string {
	return fmt.Sprintf("dpverify-%s-py3-none-%s.whl", version, tags[p])
}

// wheel returns the files of a wheel. root holds the project, program is the binary.
func wheel(root fs.FS, version string, p platform, program []byte) ([]file, error) {
	var files []file
	add := func(name, from string) error {
		data, err := fs.ReadFile(root, from)
		if err == nil {
			files = append(files, file{name: name, data: data})
		}
		return err
	}
	for _, of := range []struct{ into, pattern string }{{"dpverify/", "python/dpverify/*.py"},
		{"dpverify/", "python/dpverify/py.typed"}, {"dpverify/vectors/v1/", "vectors/v1/*.json"}} {
		found, err := fs.Glob(root, of.pattern)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no file, want at least one", of.pattern)
		}
		for _, from := range found {
			if err := add(of.into+path.Base(from), from); err != nil {
				return nil, err
			}
		}
	}
	files = append(files, file{name: "dpverify/bin/" + p.exe("verify"), data: program, executable: true})

	info := "dpverify-" + version + ".dist-info/"
	if err := add(info+"licenses/LICENSE", "LICENSE"); err != nil {
		return nil, err
	}
	readme, err := fs.ReadFile(root, "python/README.md")
	if err != nil {
		return nil, err
	}
	var wheelTags strings.Builder
	for tag := range strings.SplitSeq(tags[p], ".") {
		fmt.Fprintf(&wheelTags, "Tag: py3-none-%s\n", tag)
	}
	files = append(files,
		file{name: info + "METADATA", data: []byte(metadata(version) + "\n" + string(readme))},
		file{name: info + "WHEEL", data: []byte("Wheel-Version: 1.0\nGenerator: dpverify\nRoot-Is-Purelib: false\n" +
			wheelTags.String())},
		file{name: info + "entry_points.txt",
			data: []byte("[console_scripts]\ndpverify = dpverify.__main__:main\n\n[pytest11]\ndpverify = " +
				"dpverify.pytest_plugin\n")},
	)
	return append(files, file{name: info + "RECORD", data: record(files, info+"RECORD")}), nil
}

// metadata is the head of METADATA, without the description.
func metadata(version string) string {
	return `Metadata-Version: 2.1
Name: dpverify
Version: ` + version + `
Summary: Certified differential-privacy accounting, and test vectors for accountants
License: Apache-2.0
License-File: LICENSE
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Framework :: Pytest
Classifier: Typing :: Typed
Requires-Python: >=3.9
Description-Content-Type: text/markdown
`
}

// record lists files with their digests; of itself it has none.
func record(files []file, itself string) []byte {
	var b strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&b, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	b.WriteString(itself + ",,\n")
	return []byte(b.String())
}

// pythonVersion writes a version of git describe as PEP 440 has it: v1.2.3 is 1.2.3, what is three
// commits after it 1.2.3.post3+gHASH, and a commit without a tag before it 0+gHASH. Changes that
// are not committed add .dirty.
func pythonVersion(described string) string {
	described, dirty := strings.CutSuffix(described, "-dirty")
	local := func(parts ...string) string {
		if dirty {
			parts = append(parts, "dirty")
		}
		if len(parts) == 0 {
			return ""
		}
		return "+" + strings.Join(parts, ".")
	}
	if !strings.HasPrefix(described, "v") {
		return "0" + local("g"+described)
	}
	tag := strings.TrimPrefix(described, "v")
	if i := strings.LastIndex(tag, "-g"); i > 0 {
		if j := strings.LastIndex(tag[:i], "-"); j > 0 {
			return pre(tag[:j]) + ".post" + tag[j+1:i] + local(tag[i+1:])
		}
	}
	return pre(tag) + local()
}

// pre writes 1.2.0-rc.1 as 1.2.0rc1, and alpha and beta likewise.
func pre(tag string) string {
	for _, word := range [][2]string{{"-alpha.", "a"}, {"-beta.", "b"}, {"-rc.", "rc"}} {
		tag = strings.Replace(tag, word[0], word[1], 1)
	}
	return tag
}
