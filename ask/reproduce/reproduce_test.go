// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"bytes"
	"context"
	"flag"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/exact/interval"
	"dpverify/internal/testkit"
)

var update = flag.Bool("update", false, "rewrite the golden file (under DPVERIFY_LONG=1)")

const golden = "../../testdata/golden/snapshot/reproduce.txt"

// TestEntries: IDs are unique, and every entry says what it is about and has something to
// compute.
func TestEntries(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range Entries() {
		if seen[e.ID] {
			t.Errorf("%s occurs twice", e.ID)
		}
		seen[e.ID] = true
		if e.Paper == "" || e.Title == "" || e.Parameters == "" || e.Says == "" || len(e.Statements)+len(e.Figures) == 0 && e.Claims == "" {
			t.Errorf("%s is not complete", e.ID)
		}
		texts := make(map[string]bool)
		for _, s := range e.Statements {
			if texts[s.Text] {
				t.Errorf("%s: %q occurs twice", e.ID, s.Text)
			}
			texts[s.Text] = true
			if s.Least == nil && s.Most == nil && s.Claim != Timed || s.Text == "" {
				t.Errorf("%s: %q states nothing", e.ID, s.Text)
			}
		}
		for _, f := range e.Figures {
			if len(f.At) < 2 || len(f.Curves) == 0 {
				t.Errorf("%s: %q has nothing to draw", e.ID, f.Title)
			}
		}
	}
	for _, own := range described().Get("entries").Entries {
		if !seen[own.Key] {
			t.Errorf("entries.yaml:%d: there is no entry %s", own.Line, own.Key)
		}
	}
}

// text recomputes an entry and draws its figures.
func text(t *testing.T, e Entry) string {
	t.Helper()
	o, err := Run(context.Background(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range o.Statements {
		if s.Claim == Timed {
			if s.Enclosure.Positive() != interval.True || s.Verdict != Measured {
				t.Errorf("%s: %s: %s, %s", e.ID, s.Text, Range(s.Enclosure), s.Verdict)
			}
			o.Statements[i].Enclosure = interval.Int(1) // of no two runs the same
		}
		if s.Ours && s.Verdict == Fails && s.Least != nil && s.Most != nil {
			t.Logf("%s: %s does not hold: %s", e.ID, s.Text, Range(s.Enclosure))
		}
	}
	for _, f := range o.Figures {
		var b bytes.Buffer
		if err := f.Draw().Write(&b, "svg"); err != nil {
			t.Errorf("%s: %s: %v", e.ID, f.Title, err)
		}
		for i := range f.Curves {
			for j := range f.At {
				if y := f.Values[i][j]; y.Lo().Cmp(y.Hi()) > 0 {
					t.Errorf("%s: %s, %s: bounds cross at %s", e.ID, f.Title, f.Curves[i].Name, f.At[j].RatString())
				}
			}
		}
	}
	return o.Text()
}

// quick says of entries of a second or less whether they take a tenth of one.
var quick = map[string]bool{"2-exp1": false, "3-fig1b": true, "published-gaussian": true}

// TestGoldenSummary: what is printed is what was printed before: of everything under
// DPVERIFY_LONG=1, of some entries otherwise, and of those that take least in the quick suite.
func TestGoldenSummary(t *testing.T) {
	long := os.Getenv("DPVERIFY_LONG") != ""
	want, err := os.ReadFile(golden)
	if err != nil && !*update {
		t.Fatal(err)
	}
	var entries []Entry
	for _, e := range Entries() {
		if little, ok := quick[e.ID]; long || little || ok && testkit.Thorough() {
			entries = append(entries, e)
		}
	}
	if len(entries) == 0 {
		t.Fatal("no entries")
	}
	got := make([]string, len(entries))
	if !t.Run("entries", func(t *testing.T) {
		for i, e := range entries {
			t.Run(e.ID, func(t *testing.T) {
				t.Parallel()
				got[i] = text(t, e)
				if !*update && !strings.Contains(string(want), got[i]) {
					t.Errorf("not in %s as it is now:\n%s", golden, got[i])
				}
			})
		}
	}) || !long || slices.Contains(got, "") { // -run may choose some
		return
	}
	all := strings.Join(got, "")
	if *update {
		if err := os.WriteFile(golden, []byte(all), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(string(want), all); d != "" {
		t.Error(d)
	}
}

// TestRunStops: a context that has ended ends a run.
// TestPrintedPoints: what the paper prints in digits about the curves of a figure is drawn, and near them.
func TestPrintedPoints(t *testing.T) {
	entries, err := Choose([]string{"2-fig1"})
	if err != nil {
		t.Fatal(err)
	}
	e := entries[0]
	f := e.Figures[2]
	points := e.printed(f)
	if len(points) != 2 || points[0].X.Cmp(rat("0.277")) != 0 || points[1].X.Cmp(rat("0.471")) != 0 || points[1].Y.LessEqRat(rat("0.3")) == interval.False {
		t.Fatalf("%d points: %v", len(points), points)
	}
	if len(e.printed(e.Figures[0])) != 0 {
		t.Error("a figure of divergences has points of ε")
	}
}

func TestRunStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Entries()[0], nil); err == nil {
		t.Error("no error")
	}
}

// TestJudge: a statement is decided by an enclosure on one side of its ends only.
func TestJudge(t *testing.T) {
	s := pinned("x", "", Quantity{}, "1", "2")
	span := func(lo, hi string) (v Verdict) {
		p := rat(lo)
		q := rat(hi)
		return s.judge(enclose(p, q))
	}
	for _, c := range []struct {
		lo, hi string
		want   Verdict
	}{{"1", "2", Holds}, {"1.2", "1.3", Holds}, {"0.5", "0.9", Fails}, {"2.1", "3", Fails}, {"0.5", "1.5", Undecided}, {"1.5", "2.5", Undecided}} {
		if got := span(c.lo, c.hi); got != c.want {
			t.Errorf("[%s, %s]: %s, want %s", c.lo, c.hi, got, c.want)
		}
	}
}

func enclose(lo, hi *big.Rat) interval.Interval {
	const p = interval.Prec(64)
	return interval.Union(p.Rat(lo), p.Rat(hi))
}
