// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// ParseNew reads the line that is to be appended to a ledger: one of [Parse], or an event in its short form. text is
// the line as it is written into the file.
func ParseNew(input string, after []Line, d mechanism.Decoder) (l Line, text []byte, err error) {
	number := 1
	if len(after) > 0 {
		number = after[len(after)-1].Number + 1
	}
	var line bytes.Buffer
	if !strings.HasPrefix(strings.TrimSpace(input), "{") {
		short, err := json.Marshal(map[string]string{"event": strings.TrimSpace(input)})
		if err != nil {
			return l, nil, err
		}
		line.Write(short)
	} else if err := json.Compact(&line, []byte(input)); err != nil {
		return l, nil, document.Locate("--add", err)
	}
	if l, err = parseLine(line.Bytes(), number, d); err != nil {
		return l, nil, document.Locate("--add", err)
	}
	return l, append(line.Bytes(), '\n'), nil
}

// Takes reports whether the last line is within the budget.
func (a *Account) Takes() bool {
	if a.Filter != nil {
		return len(a.Steps) == len(a.Lines) && a.Steps[len(a.Steps)-1].Decision == Accepted
	}
	return len(a.Outcomes) == len(a.Lines) && a.Outcomes[len(a.Outcomes)-1].Verdict == certify.Verified
}

// Append writes a line at the end of a file that is there.
func Append(path string, line []byte) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if info, err := f.Stat(); err != nil {
		return err
	} else if n := info.Size(); n > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, n-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			line = append([]byte("\n"), line...)
		}
	}
	if _, err := f.Write(line); err != nil {
		return err
	}
	return f.Sync()
}

// Locked runs f while nobody else who calls it for the same file does: the file PATH.lock is there, which says who has
// made it. It waits for so long.
func Locked(ctx context.Context, path string, wait time.Duration, f func() error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	lock := path + ".lock"
	until := time.Now().Add(wait)
	for {
		made, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			_, err = fmt.Fprintf(made, "process %d since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
			err = errors.Join(err, made.Close())
			if err == nil {
				err = f()
			}
			return errors.Join(err, os.Remove(lock))
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		if time.Now().After(until) {
			who, _ := os.ReadFile(lock)
			return fmt.Errorf("%s is there: %s has the ledger; remove the file if that has ended", show.Name(lock),
				show.Cut(strings.TrimSpace(string(who))))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
