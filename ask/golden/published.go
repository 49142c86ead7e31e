// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dpverify/certify"
	"dpverify/internal/atomicfile"
	"dpverify/internal/document"
	"dpverify/internal/show"
)

// published decides the claims of a directory and compares snapshots.
func (r *Result) published(ctx context.Context, dir string, o Options) error {
	files, err := filepath.Glob(filepath.Join(dir, "published", "*.yaml"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	if err := r.leftOut(dir, files); err != nil {
		return err
	}
	for _, file := range files {
		out, err := o.Program.Run(ctx, filepath.Dir(file), nil, "certify", "--format", "json", "--budget",
			o.Budget.String(), filepath.Base(file))
		if err != nil {
			return err
		}
		var report certify.Report
		if err := json.Unmarshal(out, &report); err != nil {
			return fmt.Errorf("%s: the output for %s: %w", o.Program.Name, show.Name(file), err)
		}
		if len(report.Claims) == 0 {
			return fmt.Errorf("%s: no claims of %s were decided", o.Program.Name, show.Name(file))
		}
		for _, c := range report.Claims {
			r.verdict(file, c)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml") + ".json"
		if err := r.snapshot(ctx, filepath.Join(dir, "snapshot", name), out, o.Update); err != nil {
			return err
		}
	}
	return nil
}

// verdict compares a verdict with the known one.
func (r *Result) verdict(file string, c certify.ClaimReport) {
	r.Cases++
	switch {
	case c.Verdict == certify.Undecided && !c.AsExpected:
		r.Undecided++
	case !c.AsExpected:
		want := certify.Verified
		if c.Expect != nil {
			want = *c.Expect
		}
		r.fail("%s: %s is %s, and known to be %s", show.Name(file), show.Name(c.ID), c.Verdict, want)
	}
}

// snapshot compares an output with the one kept, and keeps it if asked to.
func (r *Result) snapshot(ctx context.Context, path string, got []byte, update bool) error {
	want, err := document.FileContents(ctx, path, maxFile)
	switch {
	case err == nil && bytes.Equal(want, got):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case update:
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		r.Updated = append(r.Updated, show.Name(path))
		return atomicfile.Write(path, got)
	case err != nil:
		r.fail("%s: no snapshot; --update writes it", show.Name(path))
	default:
		r.fail("%s: the output is not the snapshot, first at line %d; --update rewrites it", show.Name(path),
			firstDifference(want, got))
	}
	return nil
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}
