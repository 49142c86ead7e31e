// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dpverify/certify"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
)

// Distinct returns an error where two claims have one file by their ids: one of the two would be lost.
func Distinct(claims []*certify.Claim, name func(id string) string) error {
	first := make(map[string]*certify.Claim)
	for _, c := range claims {
		if c.ID == "" || c.Err != nil {
			continue
		}
		file := name(c.ID)
		if o := first[file]; o != nil {
			at := func(c *certify.Claim) string {
				return fmt.Sprintf("%s of %s:%d", show.Name(show.Cut(c.ID)), show.Name(c.File), c.Line)
			}
			return fmt.Errorf("the file %s would be that of two claims, %s and %s, want other ids", show.Name(file),
				at(o), at(c))
		}
		first[file] = c
	}
	return nil
}

// WriteEach writes into a directory a file for every outcome for which there is a content, under a name by its id, and
// removes what an earlier run wrote for the others, of which the error is ErrNone; but nothing that an interruption has
// left undecided. Claims must be Distinct by these names.
func WriteEach(ctx context.Context, dir string, outcomes []*certify.Outcome, name func(id string) string,
	content func(context.Context, *certify.Outcome) ([]byte, error)) error {
	for _, out := range outcomes {
		if out == nil || out.Claim.ID == "" || out.Claim.Err != nil {
			continue
		}
		path := filepath.Join(dir, name(out.Claim.ID))
		data, err := content(ctx, out)
		switch {
		case errors.Is(err, ErrNone) && ctx.Err() != nil:
			continue
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
