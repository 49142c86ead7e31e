// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/guard"
)

// A Job says what a pipeline decides, and where its results go.
type Job struct {
	Files  []string      // claims files, on storage that every worker sees
	Output string        // a directory there
	Shards int           // how many files of results
	Budget time.Duration // for one claim
}

// An Item is a claim on its way to a worker. Key tells it from all others, so that a bundle that
// is repeated changes nothing.
type Item struct {
	Key   string
	File  string
	Line  int
	Claim []byte // JSON
}

// A Result is what was found about a claim, as `verify certify --format json` has it.
type Result struct {
	Key    string
	Report []byte // JSON
}

const namespace = "dpverify"

var (
	readClaims     = beam.NewCounter(namespace, "claims")
	malformed      = beam.NewCounter(namespace, "malformed")
	retried        = beam.NewCounter(namespace, "retried")
	failedOutright = beam.NewCounter(namespace, "failed")
	repeated       = beam.NewCounter(namespace, "repeated")
)

// init registers functions. Workers find them by their types. The generic registrations of Beam's package register
// would make them faster by microseconds, and the compiler slower by minutes.
func init() {
	for _, f := range []any{readFn{}, decideFn{}, shardFn{}, writeFn{}, Item{}, Result{}} {
		beam.RegisterType(reflect.TypeOf(f))
	}
}

// Build adds the pipeline to a scope: claims from files, decided by workers, and results into
// Shards files results-K-of-N.json, and into dead-letter.json of those that are malformed or
// failed. The files are certify's own, for `verify merge`.
func (j Job) Build(s beam.Scope) {
	items, malformed := beam.ParDo2(s, &readFn{}, beam.CreateList(s, j.Files))
	decided, failed := beam.ParDo2(s, &decideFn{Budget: j.Budget}, beam.Reshuffle(s, items))
	dead := beam.Flatten(s, malformed, failed)
	beam.ParDo(s, &writeFn{Output: j.Output, Name: "results-%d-of-%d.json", Shards: j.Shards},
		beam.GroupByKey(s, beam.ParDo(s, &shardFn{Shards: j.Shards}, decided)))
	beam.ParDo(s, &writeFn{Output: j.Output, Name: "dead-letter.json", Shards: 1},
		beam.GroupByKey(s, beam.ParDo(s, &shardFn{Shards: 1}, dead)))
}

// maxFileBytes bounds a claims file.
const maxFileBytes = 2 << 30

// readFn reads a claims file: what is well formed goes to workers, the rest to the dead letters,
// with its error.
type readFn struct{}

// ProcessElement reads one file. A file that cannot be read fails the pipeline: its claims are not
// known, so none of them may be left out in silence.
func (f *readFn) ProcessElement(ctx context.Context, path string, item func(Item), dead func(Result)) error {
	data, err := document.FileContents(ctx, path, maxFileBytes)
	if err != nil {
		return err
	}
	claims, err := certify.Parse(path, data, document.OpenIn(ctx, filepath.Dir(path)))
	if err != nil {
		return err
	}
	root, err := parse(path, data)
	if err != nil {
		return err
	}
	nodes := root.Get("claims").Items
	for i, c := range claims {
		readClaims.Inc(ctx, 1)
		key := fmt.Sprintf("%s\x00%09d", path, i)
		if c.Err == nil {
			item(Item{key, path, c.Line, nodes[i].JSON()})
			continue
		}
		malformed.Inc(ctx, 1)
		o, err := certify.Decide(ctx, c, certify.Options{})
		if err != nil {
			return err
		}
		r, err := resultOf(key, o)
		if err != nil {
			return err
		}
		dead(r)
	}
	return nil
}

// parse reads a file as certify does.
func parse(path string, data []byte) (*document.Node, error) {
	if filepath.Ext(path) == ".json" {
		return document.ParseJSON(data)
	}
	return document.Parse(data)
}

func resultOf(key string, o *certify.Outcome) (Result, error) {
	text, err := json.Marshal(certify.NewReport([]*certify.Outcome{o}).Claims[0])
	return Result{key, text}, err
}

// decideFn decides a claim. What goes wrong in the engine is tried again, and then a dead letter.
type decideFn struct {
	Budget time.Duration
}

// attempts is how often a claim is tried.
const attempts = 3

// decide is replaced by tests that make workers fail.
var decide = certify.Decide

// ProcessElement decides one claim.
func (f *decideFn) ProcessElement(ctx context.Context, in Item, out, dead func(Result)) error {
	c, err := in.claim(ctx)
	if err != nil {
		return err
	}
	var o *certify.Outcome
	for try := 1; ; try++ {
		err = guard.Run(func() (err error) {
			o, err = decide(ctx, c, certify.Options{Budget: f.Budget})
			return err
		})
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			return err // the worker ends: the runner gives the claim to another one
		}
		if try == attempts {
			failedOutright.Inc(ctx, 1)
			first, _, _ := strings.Cut(err.Error(), "\n")
			r, err := resultOf(in.Key, &certify.Outcome{Claim: c, Verdict: certify.Undecided,
				Reason: "internal error: " + first})
			if err == nil {
				dead(r)
			}
			return err
		}
		retried.Inc(ctx, 1)
	}
	beam.NewCounter(namespace, string(o.Verdict)).Inc(ctx, 1)
	r, err := resultOf(in.Key, o)
	if err == nil {
		out(r)
	}
	return err
}

// claim reads the claim of an item, which stood on its line of its file.
func (in Item) claim(ctx context.Context) (*certify.Claim, error) {
	text := slices.Concat([]byte(`{"version":1,"claims":[`), in.Claim, []byte(`]}`))
	cs, err := certify.Parse(in.File+".json", text, document.OpenIn(ctx, filepath.Dir(in.File)))
	if err != nil {
		return nil, err
	}
	c := cs[0]
	c.File, c.Line = in.File, in.Line
	return c, nil
}

// shardFn says which file a result goes into.
type shardFn struct {
	Shards int
}

// ProcessElement returns the number of the shard.
func (f *shardFn) ProcessElement(r Result) (int, Result) {
	sum := sha256.Sum256([]byte(r.Key))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(f.Shards)), r
}

// writeFn writes a file of results, each claim once, under a name that is taken when it is
// complete: a worker that is killed leaves no half a file, and one that does it again writes
// the same bytes.
type writeFn struct {
	Output, Name string
	Shards       int
}

// ProcessElement writes one file and emits its path.
func (f *writeFn) ProcessElement(ctx context.Context, shard int, results func(*Result) bool, path func(string)) error {
	var all []Result
	for r := (Result{}); results(&r); {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Result) int { return strings.Compare(a.Key, b.Key) })
	n := len(all)
	all = slices.CompactFunc(all, func(a, b Result) bool { return a.Key == b.Key })
	repeated.Inc(ctx, int64(n-len(all)))
	report := certify.Report{Version: 1, Claims: []certify.ClaimReport{}}
	for _, r := range all {
		var c certify.ClaimReport
		if err := json.Unmarshal(r.Report, &c); err != nil {
			return err
		}
		report.Claims = append(report.Claims, c)
	}
	data, err := report.JSON()
	if err != nil {
		return err
	}
	name := f.Name
	if strings.Contains(name, "%d") {
		name = fmt.Sprintf(name, shard+1, f.Shards)
	}
	to := filepath.Join(f.Output, name)
	if err := writeWhole(to, data); err != nil {
		return err
	}
	path(to)
	return nil
}

// writeWhole writes a file of which nobody sees half.
func writeWhole(path string, data []byte) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), ".results-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(t.Name()))
		}
	}()
	if _, err := t.Write(data); err != nil {
		return errors.Join(err, t.Close())
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := os.Chmod(t.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(t.Name(), path)
}
