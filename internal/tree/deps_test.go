// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import "testing"

// policy says who may import whom. Where "a < b" stands, b and all that is above b may import
// a and all that is below it. What no chain of < orders may not meet: the engines, exact and
// float, share mechanism, its compositions and what is below, which is what makes their agreement evidence.
// Props and mutants hold tests and a program about the code, and nothing imports them.
var policy = `
	# What is written: numbers, documents, events.
	internal/testkit < exact/kernel;
	exact/kernel < exact/fraction;
	internal/number, exact/fraction < exact/interval;
	internal/show < internal/number < internal/document < internal/shorthand, internal/rounded, internal/table, internal/cells < mechanism;
	internal/suggest < internal/document;
	internal/rounded, internal/table < internal/field < mechanism/strategy < mechanism
	< mechanism/composition, internal/testkit/events;
	dpverify, internal/pldfile, internal/testkit < mechanism;
	mechanism < mechanism/argument < mechanism/composition;

	# The rigorous engine.
	exact/interval < exact/binomial;
	exact/binomial, exact/convolve, exact/fixed, exact/pair/normals, mechanism/composition < exact/pair;
	exact/pair, exact/double < exact/blanket < exact/meaning, exact/allocation;
	exact/double, mechanism < exact/iterates < exact/meaning;
	exact/pair, exact/participation < exact/meaning < exact/renyi;
	exact/double, exact/pair < exact/renyi/allocated < exact/renyi;
	exact/convolve, exact/double, exact/interval < exact/response;
	exact/interval < exact/crossing;
	exact/least < exact/double;
	exact/interval < exact/double < exact/allocation, exact/inversion, exact/pld;
	exact/interval < exact/fixed;
	exact/double < exact/exponential < exact/closed;
	exact/fixed, exact/double < exact/quadrature < exact/inversion;
	exact/fixed, exact/double < exact/inversion/tapering, exact/inversion/thinning < exact/inversion;
	exact/quadrature < exact/inversion/bent, exact/inversion/laplacian < exact/inversion;
	exact/double < exact/inversion/continuation, exact/inversion/fall, exact/inversion/likely < exact/inversion;
	exact/inversion/remembered < exact/inversion, exact/hits, exact/sector, exact/markov, exact/allocation, exact/method;
	exact/interval < exact/inversion/aliases < exact/hits, exact/inversion;
	exact/fixed, exact/double, exact/pair < exact/closed, exact/profile
	< exact/bucket, exact/inversion, exact/pld, exact/renyi;
	exact/closed, exact/profile < exact/allocation < exact/pld;
	exact/fixed, exact/double < exact/lognormal < exact/allocation;
	exact/convolve, exact/double < exact/markov < exact/method;
	exact/interval < exact/participation < exact/pattern < exact/pair;
	exact/convolve, exact/double, exact/pattern < exact/replicas < exact/method;
	exact/inversion, exact/renyi < exact/transform < ask/curve, ask/convert;
	exact/double, exact/closed, exact/profile < exact/selection < exact/path < exact/renyi;
	exact/binomial, exact/convolve, exact/double, exact/closed < exact/batch < exact;
	exact/renyi < exact/conversion;
	exact/fixed, exact/double, exact/profile < exact/lattice < exact;
	exact/double < exact/divisor < exact;
	exact/binomial, exact/pair < exact/truncated < exact/meaning;
	exact/pair < exact/divisor, exact/drawn, exact/copies, exact/permuted, exact/guarantee < exact/meaning;
	exact/drawn < exact/method;
	exact/binomial, exact/closed, exact/double, exact/fixed < exact/hits < exact/method;
	exact/pair, exact/quadrature < exact/sector < exact/method;
	exact/response, exact/crossing, exact/bucket, exact/inversion, exact/pld, exact/conversion, exact/batch, exact/lattice < exact/method < exact;
	exact/convolve, exact/double, exact/profile < exact/adversary < exact;
	exact/double, exact/profile < exact/candidates < exact;

	# The definition, which knows nothing of either engine.
	exact/interval < definition/masses < definition;
	mechanism, definition/masses < definition/promise < definition;

	# The second engine, which estimates.
	float/value, mechanism/composition < float/pair < float/law < float/closed < float/cells
	< float/fourier, float/pld < float/renyi < float;
	float/pair < float/line < float;
	float/pair < internal/others/afa < ask/compare;
	exact/interval, internal/others/afa, internal/others/fft < internal/others/accountants < ask/reproduce;
	float/pair < internal/others/fft;

	# Questions, claims, comparisons, and who asks.
	exact < exact/domination < certify;
	certify/decimal, ask < certify/mended < certify;
	exact < certify/decimal, ask, certify/derive < certify
	< certify/certificate, certify/shard, ask/golden, ask/importer, ask/query, ask/reproduce, ask/audit, ask/calibrate < ask/report < cmd/verify;
	certify < certify/evidence, vectors < ask/report;
	ask, certify/evidence, definition < ask/witness < ask/report;
	proofs/theory, exact/fixed, exact/interval, mechanism < certify/evidence/coq < certify/evidence;
	certify/evidence/coq < certify/evidence/statement < certify/evidence;
	exact/convolve < certify/evidence/vector < certify/evidence;
	certify/evidence, internal/document < certify/evidence/table < cmd/verify;
	exact < ask/reproduce/clamped < ask/reproduce;
	exact, internal/ordered < ask/reproduce/census < ask/reproduce;
	float < ask/reproduce;
	ask, float < ask/estimate < ask/query, cmd/verify;
	ask, float < crosscheck < cmd/verify;
	exact/double < internal/figure < ask/reproduce;
	ask, certify/derive, internal/figure < ask/compare < cmd/verify;
	ask, internal/prose < ask/buckets < cmd/verify, ask/reproduce;
	ask, certify/derive, internal/figure < ask/curve < cmd/verify;
	ask, certify/derive, internal/ordered, internal/prose, vectors < vectors/generate < cmd/verify;
	ask < ask/convert < cmd/verify;
	ask, internal/prose < ask/measure < certify/measured < certify, cmd/verify;
	internal/document < certify/fingerprint < certify;
	ask, internal/prose < ask/dominate < cmd/verify;
	ask/calibrate, internal/prose < ask/ledger < cmd/verify;
	mechanism, exact/interval < internal/prose < ask;
	exact < internal/guard < internal/efforts < ask;
	ask, internal/prose < internal/shown < ask/compare, ask/dominate, ask/noise/learned, ask/ledger, ask/estimate, ask/measure, certify, tools/page;
	internal/show < internal/atomicfile < ask/golden;
	internal/ordered < ask/query, ask/reproduce, cmd/verify;
	mechanism < ask/noise, float/learn;
	exact/interval, ask/noise < ask/noise/optimum;
	ask/curve, ask/noise/optimum, float/learn, internal/atomicfile < ask/noise/learned < ask/reproduce, cmd/verify;

	# Tools and tests.
	ask/audit/toy < adapters/toy;
	ask/importer, ask/calibrate < tools/page < tools/page/wasm;
	tools/page < tools/release;
	internal/drawn, tools/coverage, tools/lines, tools/mutants, internal/interrupt, tools/release, examples < cmd/verify;
	docs/schema < examples;
	ask/importer < internal/source < cmd/verify;
	internal/number < internal/size < cmd/verify;
	internal/build < ask/report;
	ask/report, internal/source, internal/size, internal/figure, internal/atomicfile, internal/cost < internal/cli < cmd/verify;
	internal/atomicfile < examples, vectors/generate, certify/evidence, tools/coverage, tools/corpus;
	internal/terminal, internal/prose < ask/report;
	internal/prose < internal/catalogue < cmd/verify;
	exact, float, certify, ask/reproduce < props < internal/tree;
`

// outside lists what packages may import from other modules, outside their tests.
// Tests may use what they like, but for bigfloat: see forbidden.
var outside = map[string][]string{
	"dpverify/internal/document": {"go.yaml.in/yaml/"},
	"dpverify/internal/pldfile":  {"google.golang.org/protobuf/encoding/protowire"},
	"dpverify/crosscheck":        {"github.com/ALTree/bigfloat"},
	"dpverify/tools/coverage":    {"golang.org/x/tools/cover"},
	"dpverify/tools/mutants":     {"golang.org/x/sync/errgroup"},
	"dpverify/cmd/verify":        {"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"dpverify/internal/cli":      {"github.com/spf13/cobra", "github.com/spf13/pflag"},
	"dpverify/exact/convolve":    {"golang.org/x/sys/cpu"},
	"dpverify/exact/double":      {"golang.org/x/sys/cpu"},
	"dpverify/exact/quadrature":  {"golang.org/x/sys/cpu"},
	"dpverify/internal/terminal": {"golang.org/x/term"},
	"dpverify/internal/figure":   {"gonum.org/v1/plot", "golang.org/x/image/", "codeberg.org/go-fonts/liberation/"},
	"dpverify/float":             {"gonum.org/v1/gonum/"},
	"dpverify/internal/others":   {"gonum.org/v1/gonum/"},
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
	{"gonum.org/v1/gonum", false, []string{"dpverify/float", "dpverify/internal/others", "dpverify/crosscheck"}, "it computes in float64, and is there to be compared with"},
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
		{ImportPath: "dpverify/definition", Imports: []string{"dpverify/exact/pair"}},
		{ImportPath: "dpverify/definition", Imports: []string{"dpverify/mechanism/composition"}},
		{ImportPath: "dpverify/definition/masses", Imports: []string{"dpverify/exact/profile"}},
		{ImportPath: "dpverify/exact/pld", Imports: []string{"dpverify/float/renyi"}},
		{ImportPath: "dpverify/float", Imports: []string{"dpverify/exact/interval"}},
		{ImportPath: "dpverify/certify", Imports: []string{"dpverify/cmd/verify"}},
		{ImportPath: "dpverify/certify", Imports: []string{"dpverify/float"}},
		{ImportPath: "dpverify/exact", Imports: []string{"dpverify/props"}},
		{ImportPath: "dpverify/internal/number", Imports: []string{"dpverify/internal/document"}},
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
