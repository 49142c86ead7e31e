package certify

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
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

// slowClaims are the files whose claims take more than a moment; the short suite
// reads them and decides none.
var slowClaims = map[string]bool{"dpsgd": true, "laplace": true, "libraries": true}

// Published claims get the verdict that is known to be right, or UNDECIDED, and
// the output is that of the snapshot.
func TestPublishedClaims(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(publishedDir, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		t.Run(name, func(t *testing.T) {
			claims, err := ReadFile(file)
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
			if testing.Short() && slowClaims[name] {
				t.Skip("the short suite does not decide these")
			}
			if name == "libraries" && os.Getenv("DPVERIFY_LONG") == "" {
				t.Skip("twenty DP-SGD claims take a minute; set DPVERIFY_LONG=1 to run it")
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
			compareSnapshot(t, filepath.Join(snapshotDir, name+".json"), got)
		})
	}
	if total == 0 {
		t.Errorf("no published claims in %s", publishedDir)
	}
}

func compareSnapshot(t *testing.T, path string, got []byte) {
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
		t.Fatalf("%v (go test ./certify -run TestPublishedClaims -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); -update rewrites it:\n%s", path, diff)
	}
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
