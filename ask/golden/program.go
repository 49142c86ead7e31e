// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"dpverify/internal/show"
)

// A Program is a build of the command.
type Program struct {
	Name string // for errors
	// Run runs it with arguments in a directory and returns what it has written to standard
	// output. Its exit status repeats what stands there and is no error.
	Run func(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error)
}

// Binary returns the program that a path names.
func Binary(path string) (Program, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Program{}, err
	}
	if _, err := exec.LookPath(path); err != nil {
		return Program{}, err
	}
	return Program{path, func(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, path, args...)
		c.Dir, c.Stdin = dir, stdin
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && !errors.As(err, &exit):
			return nil, err
		case len(out) == 0:
			text := show.Name(show.Cut(stderr.String()))
			return nil, fmt.Errorf("%s %s: %v, no output; standard error: %s", path, args[0], err, text)
		}
		return out, nil
	}}, nil
}
