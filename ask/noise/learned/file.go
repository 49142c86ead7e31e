// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learned

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dpverify/internal/atomicfile"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// inline is how many masses an event lists itself; more are in a CSV file beside it.
const inline = 64

// CheckFile fails unless noise can be written to path, .json, .yaml or .yml, and beside it.
func CheckFile(path string) error {
	if !isYAML(path) && filepath.Ext(path) != ".json" {
		return fmt.Errorf("%s: want a file that ends in .json, .yaml or .yml", path)
	}
	return atomicfile.Check(path)
}

func isYAML(path string) bool {
	ext := filepath.Ext(path)
	return ext == ".yaml" || ext == ".yml"
}

// WriteFile writes noise as an event, in JSON or YAML by the name of the file, and many masses to a
// CSV file beside it, whose name it returns. That name has the hash of the masses, and so has the event: no other file
// is replaced, and until the event is there, an earlier one and its masses are as they were.
func WriteFile(path string, e mechanism.AdditiveNoise) (csv string, err error) {
	if len(e.Probabilities) > inline {
		var b bytes.Buffer
		b.WriteString("cell,probability\n")
		for i, p := range e.Probabilities {
			fmt.Fprintf(&b, "%d,%s\n", i-len(e.Probabilities)/2, p.RatString())
		}
		e.SHA256 = fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
		csv = strings.TrimSuffix(path, filepath.Ext(path)) + "-" + e.SHA256[:16] + ".csv"
		e.File = filepath.Base(csv)
		if err := writeOnce(csv, b.Bytes()); err != nil {
			return "", err
		}
	}
	if isYAML(path) {
		return csv, atomicfile.Write(path, yaml(e))
	}
	return csv, atomicfile.Write(path, append(mechanism.EncodeEvent(e), '\n'))
}

// writeOnce writes a file that is not there, or has these contents.
func writeOnce(path string, data []byte) error {
	there, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return atomicfile.Write(path, data)
	case err == nil && !bytes.Equal(there, data):
		err = fmt.Errorf("%s is there and has other contents, want its name for the masses", show.Name(path))
	}
	return err
}

func yaml(e mechanism.AdditiveNoise) []byte {
	var b bytes.Buffer
	b.WriteString("module_name: dpverify\nclass_name: AdditiveNoiseEvent\nprobabilities:")
	if e.File != "" {
		fmt.Fprintf(&b, " %q\nsha256: %q\n", e.File, e.SHA256)
	} else {
		b.WriteByte('\n')
		for _, p := range e.Probabilities {
			fmt.Fprintf(&b, "  - %q\n", number.Format(p))
		}
	}
	fmt.Fprintf(&b, "cell: %q\nsensitivity: %q\nkind: %s\n", number.Format(e.Cell), number.Format(e.Sensitivity), e.Kind)
	return b.Bytes()
}
