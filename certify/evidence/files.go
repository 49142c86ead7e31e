// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"dpverify/certify"
	"dpverify/internal/atomicfile"
)

// WriteFiles writes into a directory a file for every outcome for which there is evidence, and removes
// what an earlier run wrote for the others.
func WriteFiles(ctx context.Context, dir string, outcomes []*certify.Outcome) error {
	return writeFiles(ctx, dir, outcomes, FileName, New)
}

// WriteCoq does the same with files for Coq.
func WriteCoq(ctx context.Context, dir string, outcomes []*certify.Outcome) error {
	return writeFiles(ctx, dir, outcomes, CoqName, Coq)
}

func writeFiles(ctx context.Context, dir string, outcomes []*certify.Outcome, name func(id string) string,
	content func(context.Context, *certify.Outcome) ([]byte, error)) error {
	for _, out := range outcomes {
		if out == nil || out.Claim.ID == "" {
			continue
		}
		path := filepath.Join(dir, name(out.Claim.ID))
		data, err := content(ctx, out)
		switch {
		case errors.Is(err, ErrNone):
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if err := atomicfile.Write(path, data); err != nil {
			return err
		}
	}
	return nil
}
