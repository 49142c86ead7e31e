// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package query

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
)

// maxLine bounds a line of a query.
const maxLine = 16 << 20

// A line is one line of input.
type line struct {
	number  int
	text    []byte
	tooLong bool  // longer than maxLine: the text is left out
	err     error // of reading, instead of a line
}

// lines reads lines until the input or ctx ends. Blank lines are skipped; the
// last line need not end in a newline. A reading that blocks does not outlive ctx.
func lines(ctx context.Context, r io.Reader) iter.Seq[line] {
	return func(yield func(line) bool) {
		next := make(chan line)
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			defer close(next)
			b := bufio.NewReaderSize(r, 1<<16)
			for n := 1; ; n++ {
				l, err := readLine(b, n)
				if len(bytes.TrimSpace(l.text)) > 0 || l.tooLong {
					select {
					case next <- l:
					case <-stop:
						return
					}
				}
				if err == nil {
					continue
				}
				if !errors.Is(err, io.EOF) {
					select {
					case next <- line{number: n, err: err}:
					case <-stop:
					}
				}
				return
			}
		}()
		for {
			select {
			case l, ok := <-next:
				if !ok || !yield(l) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// readLine reads one line and drops what is too long to keep.
func readLine(b *bufio.Reader, n int) (line, error) {
	l := line{number: n}
	for {
		part, err := b.ReadSlice('\n')
		if len(l.text)+len(bytes.TrimRight(part, "\r\n")) > maxLine {
			l.text, l.tooLong = nil, true
		}
		if !l.tooLong {
			l.text = append(l.text, bytes.TrimRight(part, "\r\n")...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l, err
		}
	}
}
