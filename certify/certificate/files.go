// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"os"
	"path/filepath"
)

// Files returns files, and the files of directories in the order of their names.
func Files(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if i, err := os.Stat(arg); err != nil || !i.IsDir() {
			files = append(files, arg) // what cannot be read is said of each
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" && !e.IsDir() {
				files = append(files, filepath.Join(arg, e.Name()))
			}
		}
	}
	return files, nil
}
