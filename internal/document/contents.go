// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package document

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"dpverify/internal/show"
)

// FileContents reads a file of at most limit bytes, or fails when ctx ends: what is no regular file may never answer.
func FileContents(ctx context.Context, path string, limit int64) ([]byte, error) {
	f, err := until(ctx, path, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Contents(ctx, path, f, limit)
}

// Contents reads at most limit bytes, and fails if there are more, or when ctx ends. name is what errors
// call the source.
func Contents(ctx context.Context, name string, r io.Reader, limit int64) ([]byte, error) {
	data, err := until(ctx, name, func() ([]byte, error) { return io.ReadAll(io.LimitReader(r, limit+1)) })
	var p *fs.PathError
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%s is a directory, want a file", show.Name(name))
	case errors.As(err, &p):
		return nil, fmt.Errorf("%s: %w", show.Name(name), p.Err)
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s: %w", show.Name(name), err)
	case int64(len(data)) > limit:
		return nil, fmt.Errorf("%s is too long, want at most %d bytes", show.Name(name), limit)
	}
	return data, nil
}

// OpenIn returns a function that opens regular files relative to dir. What it opens is read until ctx ends.
func OpenIn(ctx context.Context, dir string) func(path string) (io.ReadCloser, error) {
	return func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		f, err := until(ctx, path, func() (*os.File, error) {
			// Of a pipe that nobody writes to, even the opening does not end.
			if i, err := os.Stat(path); err == nil && !i.Mode().IsRegular() && !i.IsDir() {
				return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("a pipe or a device, want a regular file")}
			}
			return os.Open(path)
		})
		if err != nil {
			return nil, err
		}
		return file{f, f, ctx, path}, nil
	}
}

// A file is read until ctx ends. Of a method that io.Copy prefers to Read it has none.
type file struct {
	io.Closer
	from *os.File
	ctx  context.Context
	path string
}

func (f file) Read(b []byte) (int, error) {
	mine := make([]byte, len(b)) // b is the caller's again when ctx has ended
	n, err := until(f.ctx, f.path, func() (int, error) { return f.from.Read(mine) })
	copy(b, mine[:n])
	return n, err
}

// grace is how long a reading may last after its context has ended: what has arrived is not lost.
const grace = time.Second

// until returns what f does, which may block in the operating system for ever, or soon after ctx has ended an error
// that wraps ctx's.
func until[T any](ctx context.Context, name string, f func() (T, error)) (T, error) {
	type result struct {
		x   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		x, err := f()
		done <- result{x, err}
	}()
	select {
	case r := <-done:
		return r.x, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		return r.x, r.err
	case <-time.After(grace):
		var none T
		return none, &endedError{name, ctx.Err()}
	}
}

// An endedError says that a reading did not end before its context.
type endedError struct {
	name  string
	cause error
}

func (e *endedError) Error() string { return show.Name(e.name) + ": reading it did not end in time" }
func (e *endedError) Unwrap() error { return e.cause }

// Elements yields the elements of a list that a file holds: JSON Lines with one in each line, JSON, or YAML, as its
// name says. list returns those of a document that is no JSON Lines. The first error ends it; it is a *SyntaxError,
// or of list.
func Elements(name string, data []byte, list func(root *Node) ([]*Node, error)) iter.Seq2[*Node, error] {
	if filepath.Ext(name) == ".jsonl" {
		return jsonLines(data)
	}
	return func(yield func(*Node, error) bool) {
		parse := Parse
		if filepath.Ext(name) == ".json" {
			parse = func(data []byte) (*Node, error) { return ParseJSON(data) }
		}
		root, err := parse(data)
		var nodes []*Node
		if err == nil {
			nodes, err = list(root)
		}
		if err != nil {
			yield(nil, err)
			return
		}
		for _, n := range nodes {
			if !yield(n, nil) {
				return
			}
		}
	}
}

// jsonLines yields the values of JSON Lines, and holds one at a time. Lines of blanks hold nothing, but one has to hold
// something.
func jsonLines(data []byte) iter.Seq2[*Node, error] {
	return func(yield func(*Node, error) bool) {
		line, found := 0, false
		for text := range bytes.Lines(data) {
			if line++; len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			found = true
			if n, err := ParseJSON(text, FirstLine(line)); !yield(n, err) || err != nil {
				return
			}
		}
		if !found {
			yield(nil, &SyntaxError{Line: 1, Column: 1, Msg: "no line with JSON"})
		}
	}
}
