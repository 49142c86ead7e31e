// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dpverify_test

import "testing"

// policy says who may import whom. Where "a < b" stands, b and all that is above b may import
// a and all that is below it. What no chain of < orders may not meet: the engines, exact and
// float, share mechanism, its compositions and what is below, which is what makes their agreement evidence.
// Props and mutants hold tests and a program about the code, and nothing imports them.
var policy = `
	# What is written: numbers, documents, events.
	number, exact/words < exact/interval;
	internal/show < number < document < shorthand, internal/rounded, internal/table, internal/cells, internal/suggest < mechanism
	< mechanism/composition, internal/testkit/events;
	dpverify, internal/pldfile, internal/testkit < mechanism;

	# The rigorous engine.
	exact/interval < exact/binomial;
	exact/binomial, exact/convolve, exact/fixed, mechanism/composition < exact/pair;
	exact/pair, exact/participation < exact/meaning < exact/renyi;
	exact/convolve, exact/interval < exact/response;
	exact/interval < exact/crossing;
	exact/least < exact/renyi;
	exact/interval < exact/double < exact/allocation, exact/inversion, exact/pld;
	exact/interval < exact/fixed;
	exact/fixed, exact/double, exact/pair < exact/closed, exact/profile
	< exact/bucket, exact/inversion, exact/pld, exact/renyi;
	exact/closed, exact/profile < exact/allocation < exact/pld;
	exact/inversion, exact/renyi < exact/transform < curve, convert;
	exact/double, exact/closed, exact/profile < exact/selection < exact/renyi;
	exact/binomial, exact/convolve, exact/double, exact/closed < exact/batch < exact;
	exact/renyi < exact/conversion;
	exact/response, exact/crossing, exact/bucket, exact/inversion, exact/pld, exact/conversion < exact;

	# The second engine, which estimates.
	float/value, mechanism/composition < float/pair < float/law < float/closed < float/cells
	< float/fourier, float/pld < float/renyi < float;
	float/pair < float/afa < compare;
	exact/interval, float/afa, float/fft < reproduce/accountants < reproduce;
	float/pair < float/fft;

	# Questions, claims, comparisons, and who asks.
	exact < exact/domination < certify;
	exact < certify/decimal, ask, certify/derive < certify
	< certify/certificate, certify/shard, golden, importer, query, reproduce, audit, calibrate < report < cmd/verify;
	certify < certify/evidence < report;
	exact/interval, mechanism < certify/evidence/coq < certify/evidence;
	certify/evidence, document < certify/evidence/table < cmd/verify;
	exact < reproduce/clamped < reproduce;
	float < calibrate, reproduce;
	ask, float < crosscheck < cmd/verify;
	exact/interval < figure < reproduce;
	ask, certify/derive, figure < compare < cmd/verify;
	ask, internal/prose < buckets < cmd/verify, reproduce;
	ask, certify/derive, figure < curve < cmd/verify;
	ask, certify/derive, internal/ordered, internal/prose, vectors < vectors/generate < cmd/verify;
	ask < convert < cmd/verify;
	ask, internal/prose < dominate < cmd/verify;
	calibrate, internal/prose < ledger < cmd/verify;
	mechanism, exact/interval < internal/prose < ask;
	internal/show < internal/atomicfile < golden;
	internal/ordered < query, cmd/verify;
	mechanism < noise, float/learn;
	exact/interval, noise < noise/optimum;
	ask, figure, noise/optimum, float/learn, internal/atomicfile < noise/learned < reproduce, cmd/verify;

	# Tools and tests.
	audit/toy < adapters/toy;
	importer < page < page/wasm;
	page < release;
	internal/drawn, coverage, mutants, internal/cost, internal/interrupt, internal/build, release, examples < cmd/verify;
	importer < internal/source < cmd/verify;
	number < internal/size < cmd/verify;
	internal/size, mechanism < internal/cli < cmd/verify;
	internal/atomicfile < examples, vectors/generate, certify/evidence, coverage;
	internal/terminal, internal/prose < report;
	internal/prose < catalogue < crosscheck;
	exact, float, certify, reproduce < props;
`

// outside lists what packages may import from other modules, outside their tests.
// Tests may use what they like, but for bigfloat: see forbidden.
var outside = map[string][]string{
	"dpverify/document":          {"go.yaml.in/yaml/"},
	"dpverify/internal/pldfile":  {"google.golang.org/protobuf/encoding/protowire"},
	"dpverify/crosscheck":        {"github.com/ALTree/bigfloat"},
	"dpverify/coverage":          {"golang.org/x/tools/cover"},
	"dpverify/cmd/verify":        {"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"dpverify/internal/cli":      {"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"dpverify/exact/convolve":    {"golang.org/x/sys/cpu"},
	"dpverify/internal/terminal": {"github.com/schollz/progressbar/", "golang.org/x/term"},
	"dpverify/figure":            {"gonum.org/v1/plot", "golang.org/x/image/"},
	"dpverify/float":             {"gonum.org/v1/gonum/"},
	"dpverify/internal/testkit":  {"github.com/leanovate/gopter"},
}

// forbidden says which packages alone may import a module: bigfloat and gonum are
// the other side of comparisons. Gonum may serve tests, as a yardstick of speed.
var forbidden = []struct {
	module string
	tests  bool // applies to tests too
	but    []string
	reason string
}{
	{"github.com/ALTree/bigfloat", true, []string{"dpverify/crosscheck"}, "it is wrong in places, and is there to be compared with"},
	{"gonum.org/v1/gonum", false, []string{"dpverify/float", "dpverify/crosscheck"}, "it computes in float64, and is there to be compared with"},
}

// TestDependencies: who imports whom, in one direction.
func TestDependencies(t *testing.T) {
	allowed := below(t, policy)
	seen := make(map[string]bool)
	for _, p := range goList(t) {
		seen[p.ImportPath] = true
		for _, f := range faults(p, allowed) {
			t.Error(f)
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the policy names %s, which is no package", name)
		}
	}
}

// TestDependenciesBite: each rule refuses what it is there for.
func TestDependenciesBite(t *testing.T) {
	allowed := below(t, policy)
	for _, p := range []listed{
		{ImportPath: "dpverify/unheard"},
		{ImportPath: "dpverify/mechanism", Imports: []string{"dpverify/exact/interval"}},
		{ImportPath: "dpverify/exact/interval", Imports: []string{"dpverify/exact/pair"}},
		{ImportPath: "dpverify/exact/pld", Imports: []string{"dpverify/float/renyi"}},
		{ImportPath: "dpverify/float", Imports: []string{"dpverify/exact/interval"}},
		{ImportPath: "dpverify/certify", Imports: []string{"dpverify/cmd/verify"}},
		{ImportPath: "dpverify/certify", Imports: []string{"dpverify/float"}},
		{ImportPath: "dpverify/exact", Imports: []string{"dpverify/props"}},
		{ImportPath: "dpverify/number", Imports: []string{"dpverify/document"}},
		{ImportPath: "dpverify/exact/interval", Imports: []string{"github.com/ALTree/bigfloat"}},
		{ImportPath: "dpverify/exact/interval", TestImports: []string{"github.com/ALTree/bigfloat"}},
		{ImportPath: "dpverify/exact/interval", XTestImports: []string{"github.com/ALTree/bigfloat"}},
		{ImportPath: "dpverify/exact/convolve", Imports: []string{"gonum.org/v1/gonum/dsp/fourier"}},
		{ImportPath: "dpverify/exact", TestImports: []string{"dpverify/float"}},
		{ImportPath: "dpverify/mechanism", Imports: []string{"github.com/spf13/cobra"}},
		{ImportPath: "dpverify/exact", Imports: []string{"gonum.org/v1/plot"}},
		{ImportPath: "dpverify/cmd/verify", Imports: []string{"gonum.org/v1/plot"}},
	} {
		if len(faults(p, allowed)) == 0 {
			t.Errorf("%+v is accepted", p)
		}
	}
	for _, p := range []listed{
		{ImportPath: "dpverify/crosscheck", Imports: []string{"dpverify/exact", "dpverify/float", "github.com/ALTree/bigfloat"}},
		{ImportPath: "dpverify/float/pld", Imports: []string{"dpverify/mechanism", "gonum.org/v1/gonum/dsp/fourier"}},
		{ImportPath: "dpverify/exact", Imports: []string{"dpverify/exact/pld", "math/big"}},
		{ImportPath: "dpverify/exact/convolve", TestImports: []string{"gonum.org/v1/gonum/dsp/fourier"}},
	} {
		if f := faults(p, allowed); len(f) > 0 {
			t.Errorf("%+v: %v", p, f)
		}
	}
}
