// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/golden/snapshot from the present output")

const (
	publishedDir = "../testdata/golden/published"
	snapshotDir  = "../testdata/golden/snapshot"
)

// decideAll decides claims in parallel.
func decideAll(t *testing.T, claims []*Claim) []*Outcome {
	outs := make([]*Outcome, len(claims))
	errs := make([]error, len(claims))
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, c := range claims {
		wg.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			outs[i], errs[i] = Decide(t.Context(), c, Options{})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			t.Fatalf("%s: %v", claims[i].ID, err)
		}
	}
	return outs
}

// slowClaims are the files whose claims take seconds each, and the ones among them that are decided
// without DPVERIFY_LONG, and not under -short: one of each kind. All are read.
var slowClaims = map[string][]string{
	"census":    {"census-dhc-6-10-tenth", "census-dhc-6-10-twentieth"},
	"dpsgd":     {"tf-issue-166", "opacus-issue-643", "dpsgd-65536"},
	"jax":       {"jax-bandmf", "jax-user", "jax-keras-effective"},
	"laplace":   {"laplace-1000-shaved", "vuvuzela-as-printed", "vuvuzela-as-deployed", "vuvuzela-tail-bound"},
	"libraries": nil,
}

// decidedHere returns the claims of a file that this run decides.
func decidedHere(name string, claims []*Claim) []*Claim {
	few, slow := slowClaims[name]
	if !slow || os.Getenv("DPVERIFY_LONG") != "" {
		return claims
	}
	return slices.DeleteFunc(claims, func(c *Claim) bool { return testing.Short() || !slices.Contains(few, c.ID) })
}

// Published claims get the verdict that is known to be right, or UNDECIDED, and
// the output equals the snapshot.
func TestPublishedClaims(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(publishedDir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			claims, err := ReadFile(t.Context(), file)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range claims {
				c.File = filepath.Base(file)
				if c.Err != nil {
					t.Error(c.Err)
				}
				if c.Source == "" || c.Expect == "" {
					t.Errorf("%s: a published claim has a source and an expected verdict", c.ID)
				}
			}
			all := len(claims)
			if claims = decidedHere(name, claims); len(claims) == 0 {
				t.Skip("these claims take seconds each; set DPVERIFY_LONG=1 to decide them")
			}
			if *update && len(claims) < all {
				t.Fatal("set DPVERIFY_LONG=1: a snapshot is of all claims")
			}
			outs := decideAll(t, claims)
			total += len(outs)
			for _, o := range outs {
				if o.Verdict != Undecided && !o.AsExpected() {
					t.Errorf("%s is %s, and known to be %s", o.Claim.ID, o.Verdict, o.Claim.Expect)
				}
			}
			got, err := NewReport(outs).JSON()
			if err != nil {
				t.Fatal(err)
			}
			compareSnapshot(t, filepath.Join(snapshotDir, name+".json"), got, outs)
		})
	}
	if total == 0 {
		t.Errorf("no published claims in %s", publishedDir)
	}
}

// compareSnapshot compares the report of some claims to what the snapshot has of them.
func compareSnapshot(t *testing.T, path string, got []byte, outs []*Outcome) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (%s)", err, rewrite)
	}
	decided := map[string]bool{}
	for _, o := range outs {
		decided[o.Claim.ID] = true
	}
	if diff := cmp.Diff(reportOf(t, want, decided), reportOf(t, got, decided)); diff != "" {
		t.Errorf("%s differs (-want +got); %s:\n%s", path, rewrite, diff)
	}
}

const rewrite = "make golden UPDATE=1 rewrites it"

// reportOf is a report of some of its claims, and nothing else left out.
func reportOf(t *testing.T, report []byte, ids map[string]bool) map[string]any {
	t.Helper()
	var r map[string]any
	if err := json.Unmarshal(report, &r); err != nil {
		t.Fatal(err)
	}
	claims, _ := r["claims"].([]any)
	r["claims"] = slices.DeleteFunc(claims, func(c any) bool {
		id, _ := c.(map[string]any)["id"].(string)
		return !ids[id]
	})
	return r
}

// Every snapshot belongs to a file of claims.
func TestSnapshotsAreNotStale(t *testing.T) {
	snapshots, err := filepath.Glob(filepath.Join(snapshotDir, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(snapshots) == 0 {
		t.Errorf("no snapshots in %s", snapshotDir)
	}
	for _, s := range snapshots {
		name := strings.TrimSuffix(filepath.Base(s), ".json")
		if _, err := os.Stat(filepath.Join(publishedDir, name+".yaml")); err != nil {
			t.Errorf("%s has no claims: %v", s, err)
		}
	}
}
