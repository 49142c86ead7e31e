// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package generate owns the test vectors: the catalogue of their questions, the flags, and what
// writes, checks and lints the files of package vectors.
package generate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"regexp"
	"slices"
	"time"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/ordered"
	"dpverify/internal/prose"
	"dpverify/mechanism"
	"dpverify/vectors"
)

// timeout is the time for one question. A question that needs more is not one for vectors.
const timeout = 10 * time.Minute

// Options say how files are written.
type Options struct {
	// Known holds files whose enclosures are kept; nil means that all are computed.
	Known fs.FS
	// Progress, if not nil, is called with how many answers of how many are known.
	Progress func(done, all int)
}

// Generate returns the files of the catalogue by their names. A question that a known file
// answers is not asked again.
func Generate(ctx context.Context, o Options) (map[string][]byte, error) {
	known := make(map[string]vectors.Test)
	if o.Known != nil {
		_, files, err := vectors.Read(o.Known)
		if err != nil {
			return nil, err
		}
		for t := range tests(files) {
			known[t.TcID] = t
		}
	}
	qs := questions()
	found := make([]vectors.Test, len(qs))
	var open []int
	for i, q := range qs {
		found[i] = q.test()
		if t, ok := known[found[i].TcID]; ok {
			found[i].Lo, found[i].Hi = t.Lo, t.Hi
		} else {
			open = append(open, i)
		}
	}
	asked := make([]vectors.Test, len(open))
	wanted := make([]goal, len(open))
	for k, i := range open {
		asked[k], wanted[k] = found[i], qs[i].wanted()
	}
	done := 0
	for r := range answers(ctx, asked, wanted) {
		if err := errors.Join(r.err, r.short); err != nil {
			return nil, fmt.Errorf("vectors: %s of %s at %s: [%s, %s]: %w", asked[done].Quantity, asked[done].Event,
				asked[done].At, r.lo, r.hi, err)
		}
		found[open[done]].Lo, found[open[done]].Hi = r.lo, r.hi
		if done++; o.Progress != nil {
			o.Progress(done, len(open))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return write(ctx, qs, found)
}

// write puts answered questions into files.
func write(ctx context.Context, qs []question, found []vectors.Test) (map[string][]byte, error) {
	files := make(map[string]*vectors.File)
	for i, q := range qs {
		t := found[i]
		e, err := mechanism.DecodeEvent(t.Event)
		if err != nil {
			return nil, err
		}
		if t.Flags, err = flagsOf(ctx, q, t, e); err != nil {
			return nil, err
		}
		t.Comment = prose.Event(e)
		name := q.File + "_" + q.Quantity + ".json"
		f := files[name]
		if f == nil {
			f = &vectors.File{
				Algorithm: q.File, Quantity: q.Quantity, Schema: vectors.SchemaName, Notes: map[string]vectors.Note{},
				Header: header(q.Quantity),
			}
			files[name] = f
		}
		g := slices.IndexFunc(f.Groups, func(g vectors.Group) bool { return g.Comment == q.Group })
		if g < 0 {
			g = len(f.Groups)
			f.Groups = append(f.Groups, vectors.Group{Comment: q.Group})
		}
		f.Groups[g].Tests = append(f.Groups[g].Tests, t)
		f.NumberOfTests++
		for _, flag := range t.Flags {
			f.Notes[flag] = notes()[flag]
		}
	}
	out := make(map[string][]byte)
	for name, f := range files {
		data, err := encode(f)
		if err != nil {
			return nil, err
		}
		out[name] = data
	}
	return out, nil
}

// header says what the tests of a file ask.
func header(quantity string) []string {
	asks := map[string]string{
		"delta":   "delta is the least δ such that the event is (at, δ)-differentially private; at is an ε in nats.",
		"epsilon": "epsilon is inf{ε : δ(ε) ≤ at}; it may be negative, inf and -inf.",
		"renyi":   "renyi is the Rényi divergence of order at, in nats.",
		"tradeoff": "tradeoff is the least type II error of a test of type I error at most at; a guarantee states a lower " +
			"bound of it.",
	}
	return []string{
		"Test vectors of differential-privacy accounting. lo and hi enclose the truth: lo ≤ truth ≤ hi.",
		asks[quantity],
		"An upper bound is sound iff it is at least lo, and tight to a tolerance τ iff it is at most hi(1 + τ). A lower " +
			"bound is sound iff it is at most hi. An estimate is right iff it lies in [lo, hi].",
		"With number_format binary64, each number of the event, and at, is the float64 nearest to it; with decimal it is " +
			"what is written.",
	}
}

// aTest matches the lines of a test: it is an object in a list of the second level.
var aTest = regexp.MustCompile(`(?ms)^ {4}\{$.*?^ {4}\}`)

// encode writes a file with a line for each test.
func encode(f *vectors.File) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(f)
	return aTest.ReplaceAllFunc(b.Bytes(), func(lines []byte) []byte {
		b := bytes.NewBufferString("    ")
		err = cmp.Or(err, json.Compact(b, lines))
		return b.Bytes()
	}), err
}

// A goal says how well a test is answered.
type goal struct {
	digits int
	fixed  *exact.Effort // the only effort to try, if it is not nil
}

// roughly is the effort for what no method encloses tightly: its answers are what they are
// and not a matter of time.
const roughly = exact.Effort(1)

// wanted is how well a question is answered.
func (q question) wanted() goal {
	g := goal{digits: cmp.Or(q.Digits, digits)}
	if q.Rough {
		g.fixed = new(roughly)
	}
	return g
}

// A reply is an answer, or why there is none.
type reply struct {
	lo, hi  string
	settled bool // it has the digits of the goal
	err     error
	// short says why the answer is wider than wanted.
	short error
}

// answers answers tests in parallel and in order.
func answers(ctx context.Context, ts []vectors.Test, goals []goal) iter.Seq[reply] {
	numbers := func(yield func(int) bool) {
		for i := range ts {
			if ctx.Err() != nil || !yield(i) {
				return
			}
		}
	}
	return ordered.Map(numbers, func(i int) (r reply) {
		r.err = guard.Run(func() (err error) {
			r, err = answer(ctx, ts[i], goals[i])
			return err
		})
		return r
	})
}

// answer answers one test.
func answer(ctx context.Context, t vectors.Test, g goal) (reply, error) {
	var r reply
	n, err := document.ParseJSON(t.Event)
	if err != nil {
		return r, err
	}
	binary64, err := number.ParseFormat(t.NumberFormat)
	if err != nil {
		return r, fmt.Errorf("number_format: %w", err)
	}
	events, err := mechanism.Decoder{Binary64: binary64}.RoundedEvent(n, "event")
	if err != nil {
		return r, err
	}
	var q exact.Question
	if q.Relation, err = mechanism.ParseRelation(t.Relation); err != nil {
		return r, err
	}
	if q.Direction, err = mechanism.ParseDirection(t.Direction); err != nil {
		return r, err
	}
	kind, ok := ask.KindNamed(t.Quantity)
	if !ok || kind.Name == ask.KindGaussianDP.Name {
		return r, fmt.Errorf("quantity = %q, want delta, epsilon, renyi or tradeoff", t.Quantity)
	}
	quantity, err := kind.Parse(t.At, binary64)
	if err != nil {
		return r, fmt.Errorf("at: %w", err)
	}
	as, err := ask.Range(ctx, q, events, ask.Goal{Digits: g.digits, Budget: timeout, Fixed: g.fixed}, quantity)
	if err != nil {
		return r, err
	}
	r.lo, r.hi = as[0].Decimal(digits)
	r.settled = as[0].Lacking == nil
	if g.fixed == nil && !errors.Is(as[0].Lacking, ask.ErrNotTight) {
		r.short = as[0].Lacking
	}
	return r, nil
}

// tests yields the tests of files.
func tests(files []vectors.File) iter.Seq[vectors.Test] {
	return func(yield func(vectors.Test) bool) {
		for _, f := range files {
			for _, g := range f.Groups {
				for _, t := range g.Tests {
					if !yield(t) {
						return
					}
				}
			}
		}
	}
}
