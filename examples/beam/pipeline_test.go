// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"dpverify/certify"
	"dpverify/certify/shard"
)

// TestMain is the pipeline itself where a test has asked for a process that it can kill.
func TestMain(m *testing.M) {
	if out := os.Getenv("BEAM_TEST_OUTPUT"); out != "" {
		beam.Init()
		slow := decide
		decide = func(ctx context.Context, c *certify.Claim, o certify.Options) (*certify.Outcome, error) {
			time.Sleep(20 * time.Millisecond)
			return slow(ctx, c, o)
		}
		if err := (Job{Files: strings.Fields(os.Getenv("BEAM_TEST_FILES")), Output: out, Shards: 4}).run(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	beam.Init()
	os.Exit(m.Run())
}

// claimsFiles writes n claims into files of a directory, one in ten of them false and two of each
// file malformed.
func claimsFiles(t *testing.T, n, files int) []string {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for f := range files {
		var b strings.Builder
		b.WriteString("version: 1\nclaims:\n  - {id: odd, event: {class_name: GaussianDpEvent, sigma: 1}, claim: {epsilon: 1, delta: 0.1}}\n  - {event: {class_name: NoOpDpEvent}, claim: {epsilon: 0, delta: 0}}\n")
		for i := range n / files {
			eps := i%9 + 1
			if i%10 == 0 {
				eps = 0
			}
			fmt.Fprintf(&b, "  - {id: c%d, event: {class_name: LaplaceDpEvent, noise_multiplier: 1}, claim: {epsilon: %d, delta: 0}}\n", i, eps)
		}
		path := filepath.Join(dir, fmt.Sprintf("claims-%d.yaml", f))
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// wanted is the output of certify for all claims, and the claims.
func wanted(t *testing.T, files []string) ([]byte, []*certify.Claim) {
	t.Helper()
	var claims []*certify.Claim
	var outcomes []*certify.Outcome
	for _, f := range files {
		cs, err := certify.ReadFile(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cs {
			o, err := certify.Decide(t.Context(), c, certify.Options{})
			if err != nil {
				t.Fatal(err)
			}
			outcomes = append(outcomes, o)
		}
		claims = append(claims, cs...)
	}
	data, err := certify.NewReport(outcomes).JSON()
	if err != nil {
		t.Fatal(err)
	}
	return data, claims
}

// results reads what a pipeline has written.
func results(t *testing.T, dir string) []shard.Part {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var parts []shard.Part
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := certify.ReadReport(name, data)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, shard.Part{Name: name, Report: r})
	}
	return parts
}

// same demands that the merged results are the output of certify, byte for byte.
func same(t *testing.T, dir string, files []string) {
	t.Helper()
	want, claims := wanted(t, files)
	merged, err := shard.Merge(results(t, dir), claims)
	if err != nil {
		t.Fatal(err)
	}
	got, err := merged.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the merged results are not the results of certify")
	}
}

// TestPipelineIsCertify: on Prism, the pipeline decides every claim as certify does. Malformed
// claims are dead letters.
func TestPipelineIsCertify(t *testing.T) {
	files := claimsFiles(t, 300, 3)
	out := t.TempDir()
	if err := (Job{Files: files, Output: out, Shards: 4}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, out, files)
	data, err := os.ReadFile(filepath.Join(out, "dead-letter.json"))
	if err != nil {
		t.Fatal(err)
	}
	dead, err := certify.ReadReport("dead-letter.json", data)
	if err != nil || len(dead.Claims) != 6 || !strings.Contains(dead.Claims[0].Error, "perhaps noise_multiplier") {
		t.Errorf("the dead letters are %+v, %v", dead.Claims, err)
	}
}

// TestWorkersThatFail: a claim that fails is tried again, and one that always does is a dead
// letter, as undecided: no other claim is touched.
func TestWorkersThatFail(t *testing.T) {
	defer func(f func(context.Context, *certify.Claim, certify.Options) (*certify.Outcome, error)) { decide = f }(decide)
	whole := decide
	var mu sync.Mutex
	tries := make(map[string]int)
	decide = func(ctx context.Context, c *certify.Claim, o certify.Options) (*certify.Outcome, error) {
		mu.Lock()
		tries[c.ID]++
		n := tries[c.ID]
		mu.Unlock()
		switch {
		case c.ID == "c3":
			panic("the engine is on fire")
		case n == 1 && c.ID < "c2":
			return nil, errors.New("a disk is full")
		}
		return whole(ctx, c, o)
	}
	files := claimsFiles(t, 30, 1)
	out := t.TempDir()
	if err := (Job{Files: files, Output: out, Shards: 2}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	decide = whole
	_, claims := wanted(t, files)
	merged, err := shard.Merge(results(t, out), claims)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range merged.Claims {
		if c.ID == "c3" != strings.HasPrefix(c.Reason, "internal error") || c.ID == "c3" && c.Verdict != certify.Undecided {
			t.Errorf("%s: %s, %s", c.ID, c.Verdict, c.Reason)
		}
	}
	if tries["c3"] != attempts || tries["c1"] != 2 || tries["c5"] != 1 {
		t.Errorf("tries: %v", tries)
	}
}

// TestKilledWorker kills the pipeline in the middle and starts it again: no claim is lost, and
// none is counted twice.
func TestKilledWorker(t *testing.T) {
	files := claimsFiles(t, 200, 2)
	out := t.TempDir()
	worker := func() *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "BEAM_TEST_OUTPUT="+out, "BEAM_TEST_FILES="+strings.Join(files, " "))
		c.Stderr = os.Stderr
		return c
	}
	first := worker()
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second)
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); err == nil {
		t.Fatal("the worker was done before it was killed")
	}
	if err := worker().Run(); err != nil {
		t.Fatal(err)
	}
	same(t, out, files)
}

// TestManyClaims: 10^5 claims.
func TestManyClaims(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("takes minutes; DPVERIFY_LONG=1 runs it")
	}
	files := claimsFiles(t, 100_000, 20)
	out := t.TempDir()
	started := time.Now()
	if err := (Job{Files: files, Output: out, Shards: 16}).run(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v", time.Since(started))
	same(t, out, files)
}
