// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package generate

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dpverify/internal/testkit"
	"dpverify/mechanism"
	"dpverify/vectors"
)

// TestVectorsAreWellFormed: the files that are there pass lint.
func TestVectorsAreWellFormed(t *testing.T) {
	faults, err := Lint(vectors.V1())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		t.Error(f)
	}
}

// TestVectorsAreThoseOfTheCatalogue: generating anew gives the files that are there, byte for byte.
// No question is asked, as all enclosures are known.
func TestVectorsAreThoseOfTheCatalogue(t *testing.T) {
	files, err := Generate(t.Context(), Options{Known: vectors.V1(), Progress: func(_, open int) { t.Fatalf("%d questions of the catalogue have no vector", open) }})
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(vectors.V1(), "*.json")
	if err != nil {
		t.Fatal(err)
	}
	if len(names) != len(files) {
		t.Errorf("%d files, the catalogue gives %d", len(names), len(files))
	}
	for _, name := range names {
		data, err := fs.ReadFile(vectors.V1(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, files[name]) {
			t.Errorf("%s differs; run: verify vectors generate vectors/v1", name)
		}
	}
}

// TestVectorsHold computes some vectors anew, or all if there is time.
func TestVectorsHold(t *testing.T) {
	testkit.SkipShort(t)
	s := Selection{Of: 4, Skip: dear}
	if os.Getenv("DPVERIFY_LONG") != "" {
		s = Selection{}
	}
	r, err := Check(t.Context(), vectors.V1(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range r.Wrong {
		t.Error(line)
	}
	// With what proves an answer the last digits of a few enclosures move; files that hold are not rewritten for that.
	for _, line := range r.Wider {
		if t.Log(line); len(r.Wider) > r.Confirmed/100 {
			t.Fail()
		}
	}
	if r.Confirmed < 60 {
		t.Errorf("%d tests confirmed, want at least 60", r.Confirmed)
	}
}

// dear are the tests that take more than some milliseconds.
func dear(v vectors.Test) bool {
	e := string(v.Event)
	for _, part := range []string{"Poisson", "Without", "Mixture", "Truncated", "Composed", "Exponential", "Flip", "ZCDp", "Repeat", "Curve", "null", "Binomial"} {
		if strings.Contains(e, part) {
			return true
		}
	}
	return v.Quantity == "tradeoff" || v.Quantity == "renyi"
}

// TestEveryClassHasVectors: a class that is new is asked about by its example, if that needs no files.
func TestEveryClassHasVectors(t *testing.T) {
	asked := make(map[string]bool)
	for _, q := range questions() {
		for _, class := range mechanism.ClassNames() {
			if strings.Contains(q.event, `"`+class+`"`) {
				asked[class] = true
			}
		}
	}
	for _, class := range mechanism.ClassNames() {
		if asked[class] == (class == inFiles) {
			t.Errorf("%s: asked about: %v", class, asked[class])
		}
	}
}

// TestEveryFlagHasANoteAndTests: a flag is of use where tests have it.
func TestEveryFlagHasANoteAndTests(t *testing.T) {
	_, files, err := vectors.Read(vectors.V1())
	if err != nil {
		t.Fatal(err)
	}
	count := make(map[string]int)
	for v := range tests(files) {
		for _, f := range v.Flags {
			count[f]++
		}
	}
	for f := range notes() {
		if count[f] < 2 {
			t.Errorf("%s: %d tests, want at least 2", f, count[f])
		}
	}
	for f := range count {
		if _, ok := notes()[f]; !ok {
			t.Errorf("%s has no note", f)
		}
	}
}

// TestFlags: a flag follows from what is asked and what the answer is.
func TestFlags(t *testing.T) {
	const (
		gaussian   = `{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`
		laplace    = `{"class_name":"LaplaceDpEvent","noise_multiplier":"1"}`
		sample     = `{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.1","event":` + gaussian + `}`
		everything = `{"class_name":"NonPrivateDpEvent"}`
		dimension  = `{"class_name":"DiscreteGaussianDpEvent","sigma":"1","sensitivity":1,"dimension":null}`
		selection  = `{"class_name":"ExponentialMechanismDpEvent","epsilon":"1"}`
	)
	twice := func(e string) string { return `{"class_name":"SelfComposedDpEvent","count":2,"event":` + e + `}` }
	for _, c := range []struct {
		quantity, event, at string
		lo, hi              string
		want                []string
	}{
		{"delta", gaussian, "1", "0.12", "0.13", nil},
		{"delta", gaussian, "-1", "0.7", "0.8", []string{"NEGATIVE_EPSILON"}},
		{"delta", gaussian, "20", "1e-80", "1e-79", []string{"HUGE_EPSILON", "TINY_DELTA"}},
		{"delta", twice(laplace), "1", "1e-11", "1e-11", []string{"COUNT_IGNORED", "FFT_NOISE"}},
		{"epsilon", twice(gaussian), "1e-5", "5", "6", nil},
		{"epsilon", gaussian, "0.5", "-0.2", "-0.1", []string{"NEGATIVE_EPSILON"}},
		{"epsilon", everything, "0.1", "inf", "inf", []string{"INFINITE_MASS"}},
		{"renyi", gaussian, "1.5", "1", "2", []string{"FRACTIONAL_ORDER"}},
		{"renyi", gaussian, "inf", "inf", "inf", nil},
		{"renyi", dimension, "2", "1", "2", []string{"UNKNOWN_DIMENSION"}},
		{"epsilon", selection, "0.1", "1", "2", []string{"BOUNDED_RANGE"}},
		// The central limit theorem gives 0.14176… for this one.
		{"epsilon", sample, "0.01", "0.198", "0.199", []string{"CLT_IS_NO_BOUND", "ONE_DIRECTION"}},
		{"epsilon", sample, "0.01", "0.1417", "0.1418", []string{"ONE_DIRECTION"}},
	} {
		checkFlags(t, question{asked: asked{Quantity: c.quantity}, event: c.event, place: c.at}, c.lo, c.hi, c.want)
	}
	checkFlags(t, question{family{Flags: []string{"WRAP_AROUND"}}, asked{Quantity: "epsilon", Relation: "REPLACE_ONE"}, laplace, "0.1"}, "1", "2",
		[]string{"REPLACE_ONE_2C", "WRAP_AROUND"})
}

// checkFlags compares the flags of a question with an answer.
func checkFlags(t *testing.T, q question, lo, hi string, want []string) {
	t.Helper()
	v := q.test()
	v.Lo, v.Hi = lo, hi
	e, err := mechanism.DecodeEvent(v.Event)
	if err != nil {
		t.Fatal(err)
	}
	got, err := flagsOf(t.Context(), q, v, e)
	if err != nil {
		t.Fatal(err)
	}
	if got == nil || !slices.Equal(got, want) {
		t.Errorf("%s of %s at %s: %v, want %v", v.Quantity, v.Event, v.At, got, want)
	}
}

// small is a folder with one file of one test, which changes turn into something else.
func small(t *testing.T, change func(*vectors.File, *vectors.Test)) fs.FS {
	t.Helper()
	q := question{family{File: "gaussian"}, asked{Quantity: "delta"}, `{"class_name":"GaussianDpEvent","noise_multiplier":"1"}`, "1"}
	v := q.test()
	v.Lo, v.Hi, v.Comment, v.Flags = "0.12693673750664394580", "0.12693673750664394581", "one", []string{}
	f := vectors.File{Algorithm: "gaussian", Quantity: "delta", Schema: vectors.SchemaName, Header: header("delta"), NumberOfTests: 1, Notes: map[string]vectors.Note{}}
	change(&f, &v)
	f.Groups = []vectors.Group{{Comment: "one", Tests: []vectors.Test{v}}}
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return fstest.MapFS{"gaussian_delta.json": {Data: data}}
}

// TestCheckSeesWhatIsWrong: an enclosure beside the truth is wrong, one that is narrower than what
// is computed is not confirmed.
func TestCheckSeesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name                    string
		change                  func(*vectors.File, *vectors.Test)
		confirmed, wider, wrong int
	}{
		{"right", func(*vectors.File, *vectors.Test) {}, 1, 0, 0},
		{"above", func(_ *vectors.File, v *vectors.Test) { v.Lo, v.Hi = "0.126936737506643946", "0.126936737506643947" }, 0, 0, 1},
		{"below", func(_ *vectors.File, v *vectors.Test) { v.Lo, v.Hi = "0.1", "0.12" }, 0, 0, 1},
		{"infinite", func(_ *vectors.File, v *vectors.Test) { v.Lo, v.Hi = "inf", "inf" }, 0, 0, 1},
		{"narrow", func(_ *vectors.File, v *vectors.Test) { v.Lo = v.Hi }, 0, 1, 0},
		{"wide", func(_ *vectors.File, v *vectors.Test) { v.Lo = "-inf" }, 1, 0, 0},
		{"malformed", func(_ *vectors.File, v *vectors.Test) { v.Event = []byte(`{"class_name":"GaussianDpEvent"}`) }, 0, 0, 1},
		{"no quantity", func(_ *vectors.File, v *vectors.Test) { v.Quantity = "mu" }, 0, 0, 1},
	} {
		r, err := Check(t.Context(), small(t, c.change), Selection{})
		if err != nil || r.Confirmed != c.confirmed || len(r.Wider) != c.wider || len(r.Wrong) != c.wrong {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}

// TestLintSeesWhatIsWrong: each rule has a file that breaks it.
func TestLintSeesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		change func(*vectors.File, *vectors.Test)
		want   string
	}{
		{func(f *vectors.File, _ *vectors.Test) { f.Algorithm = "laplace" }, "the name, want laplace_delta.json"},
		{func(f *vectors.File, _ *vectors.Test) { f.Schema = "" }, "schema"},
		{func(f *vectors.File, _ *vectors.Test) { f.NumberOfTests = 2 }, "numberOfTests = 2, want 1"},
		{func(_ *vectors.File, v *vectors.Test) { v.Flags = []string{"ODD"} }, "the flag ODD has no note"},
		{func(f *vectors.File, _ *vectors.Test) { f.Notes["ODD"] = notes()["TINY_DELTA"] }, "the note ODD is about no test"},
		{func(_ *vectors.File, v *vectors.Test) { v.TcID = "00000000" }, "tcId, want"},
		{func(_ *vectors.File, v *vectors.Test) { v.Quantity = "epsilon" }, "quantity"},
		{func(_ *vectors.File, v *vectors.Test) { v.Comment = "" }, "comment is missing"},
		{func(_ *vectors.File, v *vectors.Test) { v.Flags = []string{"B", "A"} }, "sorted"},
		{func(_ *vectors.File, v *vectors.Test) { v.Event = []byte(`{"class_name":"Odd"}`) }, "class_name"},
		{func(_ *vectors.File, v *vectors.Test) { v.Relation = "ODD" }, "relation"},
		{func(_ *vectors.File, v *vectors.Test) { v.Direction = "odd" }, "direction"},
		{func(_ *vectors.File, v *vectors.Test) { v.NumberFormat = "odd" }, "number_format"},
		{func(_ *vectors.File, v *vectors.Test) { v.Lo = "x" }, "an end of the enclosure"},
		{func(_ *vectors.File, v *vectors.Test) { v.Lo, v.Hi = v.Hi, v.Lo }, "want lo ≤ hi"},
	} {
		faults, err := Lint(small(t, c.change))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(faults, "\n"), c.want) {
			t.Errorf("%q, want %s", faults, c.want)
		}
	}
	if faults, err := Lint(small(t, func(*vectors.File, *vectors.Test) {})); err != nil || len(faults) > 0 {
		t.Errorf("a good file: %q, %v", faults, err)
	}
	if _, err := Lint(fstest.MapFS{}); err == nil {
		t.Error("a folder without files passes")
	}
}
