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

	"dpverify/internal/document"
	"dpverify/internal/show"
)

// An oracleCase is a question of "verify query" and its value from outside.
type oracleCase struct {
	ID                  string
	Event               json.RawMessage
	Relation, Direction string
	Quantity, At        string
	value
}

// question returns the line that asks it.
func (c oracleCase) question(id int, o Options) ([]byte, error) {
	q := map[string]any{"id": id, "event": c.Event, "quantity": c.Quantity, "digits": min(c.digits(), o.Digits),
		"timeout": o.Timeout.Seconds()}
	for k, v := range map[string]string{"relation": c.Relation, "direction": c.Direction, "at": c.At} {
		if v != "" {
			q[k] = v
		}
	}
	text, err := json.Marshal(q)
	return append(text, '\n'), err
}

// disagreement says how an answer contradicts the value, or nothing, and whether it has as many
// digits as were asked.
func (c oracleCase) disagreement(answer []byte) (complete bool, why string) {
	n, err := document.ParseJSON(answer)
	if err != nil {
		return false, "the answer is no JSON: " + err.Error()
	}
	if e := n.Get("error"); e != nil {
		return false, show.Name(show.Cut(e.Text))
	}
	if n.Get("lo") == nil || n.Get("hi") == nil {
		return false, "the answer has no enclosure"
	}
	lo, hi := n.Get("lo").Text, n.Get("hi").Text
	if !c.meets(lo, hi) {
		why := fmt.Sprintf("%s(%s) is in [%s, %s], and the value from outside is %s", c.Quantity, c.At, lo, hi, c.Text)
		if c.rounds(lo, hi) {
			why += ": its last digit is rounded, want digits that are cut off"
		}
		return false, why
	}
	return n.Get("complete") != nil && n.Get("complete").Text == "true", ""
}

// oracle asks the questions of all files below a directory, which may be missing.
func (r *Result) oracle(ctx context.Context, dir string, o Options) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			r.left(path, d, "oracle/**/*.jsonl")
			return err
		}
		data, err := document.FileContents(ctx, path, maxFile)
		if err != nil {
			return err
		}
		return r.oracleFile(ctx, path, data, o)
	})
}

// oracleFile asks the questions of one file, all at once.
func (r *Result) oracleFile(ctx context.Context, path string, data []byte, o Options) error {
	cases, silent, err := readCases(path, data)
	r.Silent += silent
	if err != nil {
		return err
	}
	var questions bytes.Buffer
	for i, c := range cases {
		q, err := c.question(i, o)
		if err != nil {
			return err
		}
		questions.Write(q)
	}
	out, err := o.Program.Run(ctx, ".", &questions, "query")
	if err != nil {
		return err
	}
	answers := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(answers) != len(cases) {
		return fmt.Errorf("%s: %d answers to %d questions", o.Program.Name, len(answers), len(cases))
	}
	for i, c := range cases {
		r.Cases++
		complete, why := c.disagreement(answers[i])
		switch {
		case why != "":
			r.fail("%s: %s: %s", show.Name(path), show.Name(c.ID), why)
		case !complete || c.digits() > o.Digits:
			r.Coarse++
		}
	}
	return nil
}

// readCases reads the cases of a file, and counts the lines that ask nothing.
func readCases(path string, data []byte) (cases []oracleCase, silent int, err error) {
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		n, err := document.ParseJSON(bytes.TrimRight(line, "\r\n"), document.FirstLine(number))
		if err != nil {
			return nil, silent, document.Locate(path, err)
		}
		if n.Get("quantity") == nil && n.Get("value") == nil {
			silent++
			continue
		}
		c, err := readCase(n)
		if err != nil {
			return nil, silent, document.Locate(path, err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return nil, silent, fmt.Errorf("%s: no cases", show.Name(path))
	}
	return cases, silent, nil
}

// readCase reads a case. Fields that it does not know are for others.
func readCase(n *document.Node) (c oracleCase, err error) {
	r := document.Reader{Node: n}
	for _, f := range []struct {
		name, want string
		into       *string
		required   bool
	}{
		{"quantity", "a quantity of verify query", &c.Quantity, true}, {"value", "a number", &c.Text, true},
		{"id", "a text", &c.ID, false}, {"at", "a number", &c.At, false},
		{"relation", "a relation", &c.Relation, false}, {"direction", "a direction", &c.Direction, false},
	} {
		if f.required || n.Get(f.name) != nil {
			*f.into = r.Text(f.name, f.want)
		}
	}
	if e := r.Required("event", "an event"); e != nil {
		c.Event = e.JSON()
	}
	if x := n.Get("exact"); x != nil && x.Kind != document.Bool {
		r.Fail(r.Invalid("exact", x, "true or false"))
	} else if x != nil {
		c.Exact = x.Text == "true"
	}
	if _, _, err := c.ends(); err != nil {
		r.Fail(r.Invalid("value", n.Get("value"), err.Error()))
	}
	return c, r.Err
}
