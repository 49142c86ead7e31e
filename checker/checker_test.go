// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// samples are the claims of testdata with their evidence.
func samples(t testing.TB) (claims []*claim, files map[string][]byte) {
	t.Helper()
	data, err := os.ReadFile("testdata/claims.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if claims, err = readClaims(data, nil); err != nil {
		t.Fatal(err)
	}
	files = make(map[string][]byte)
	for _, c := range claims {
		if files[c.id], err = os.ReadFile(filepath.Join("testdata", fileName(c.id))); err != nil {
			t.Fatal(err)
		}
	}
	return claims, files
}

// truth is the verdict of a sample, by its name.
func truth(c *claim) string {
	if strings.HasSuffix(c.id, "-false") || slices.Contains([]string{"sampled-guarantee", "visible-sample"}, c.id) {
		return "REFUTED"
	}
	return "VERIFIED"
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(600) // as the program has it
	os.Exit(m.Run())
}

func TestSamplesAreAccepted(t *testing.T) {
	var out, errs bytes.Buffer
	if status := program([]string{"testdata/claims.yaml", "testdata"}, &out, &errs); status != 0 || errs.Len() > 0 {
		t.Errorf("status %d, %s", status, errs.String())
	}
	claims, _ := samples(t)
	var want strings.Builder
	for _, c := range claims {
		fmt.Fprintf(&want, "ACCEPTED %s %s\n", c.id, truth(c))
	}
	fmt.Fprintf(&want, "%d ACCEPTED, 0 REJECTED, 0 NONE\n", len(claims))
	if out.String() != want.String() {
		t.Errorf("got\n%swant\n%s", out.String(), want.String())
	}
}

func TestStatuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	one := write("one.json", `{"version": 1, "claims": [{"id": "a/b c", "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1}, "claim": {"epsilon": 1, "delta": 0.2}}]}`)
	two := write("two.json", `{"version": 1, "claims": [{"id": "z", "event": {"class_name": "UnsupportedDpEvent"}, "claim": {"epsilon": 1, "delta": 0.2}},
		{"id": "g", "event": {"class_name": "EpsilonDeltaDpEvent", "epsilon": 1, "delta": 0.1}, "claim": {"epsilon": 1, "delta": 0.1}}]}`)
	for _, test := range []struct {
		args   []string
		status int
		out    string
	}{
		{[]string{one}, 2, ""},
		{[]string{one, filepath.Join(dir, "none")}, 2, ""},
		{[]string{filepath.Join(dir, "none.yaml"), dir}, 2, ""},
		{[]string{write("bad.yaml", "version: 1\nclaims: [\n"), dir}, 2, ""},
		{[]string{"-some", one, dir}, 2, ""},
		{[]string{one, dir}, 0, "NONE \"a/b c\"\n0 ACCEPTED, 0 REJECTED, 1 NONE\n"},
		{[]string{"-all", one, dir}, 1, "NONE \"a/b c\"\n0 ACCEPTED, 0 REJECTED, 1 NONE\n"},
		{[]string{"-v", one, dir}, 0, "NONE \"a/b c\"\n  relation ADD_OR_REMOVE_ONE\n  direction both\n  epsilon 1\n  delta 1/5\n  event gaussian(1)\n0 ACCEPTED, 0 REJECTED, 1 NONE\n"},
		{[]string{"-v", "-all", two, dir}, 1, "NONE z\n  not understood: \"\\\"UnsupportedDpEvent\\\" is no event that is understood, or too many\"\n" +
			"NONE g\n  relation ADD_OR_REMOVE_ONE\n  direction both\n  epsilon 1\n  delta 1/10\n  event guarantee(1 1/10)\n  STATED: the event says that itself\n0 ACCEPTED, 0 REJECTED, 2 NONE\n"},
	} {
		var out, errs bytes.Buffer
		if status := program(test.args, &out, &errs); status != test.status || out.String() != test.out {
			t.Errorf("%v: status %d and %q, want %d and %q", test.args, status, out.String(), test.status, test.out)
		}
	}
	write("a%2fb%20c.evidence", "{}\n")
	var out, errs bytes.Buffer
	if status := program([]string{one, dir}, &out, &errs); status != 1 || !strings.HasPrefix(out.String(), `REJECTED "a/b c": `) {
		t.Errorf("status %d and %q, want 1 and REJECTED", status, out.String())
	}
}

// forClaim gives a certificate the hash of a claim.
func forClaim(t testing.TB, data []byte, c *claim) []byte {
	cert := decode(t, data)
	sum := sha256.Sum256([]byte(c.statement))
	cert.Claim = hex.EncodeToString(sum[:])
	return encode(t, cert)
}

func decode(t testing.TB, data []byte) *certificate {
	t.Helper()
	c := new(certificate)
	if err := json.Unmarshal(data, c); err != nil {
		t.Fatal(err)
	}
	return c
}

func encode(t testing.TB, c *certificate) []byte {
	t.Helper()
	data, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}

// TestCertificatesForOtherClaims: evidence for one claim is none for another, not even with the
// other's hash; nor is it for the opposite verdict.
func TestCertificatesForOtherClaims(t *testing.T) {
	claims, files := samples(t)
	for i, c := range claims {
		for j, other := range claims {
			if c == other || (i+j)%9 > 0 && os.Getenv("DPVERIFY_LONG") == "" {
				continue
			}
			if _, err := c.check(files[other.id], nil); err == nil {
				t.Errorf("the certificate of %s is accepted for %s", other.id, c.id)
			}
			if v, err := c.check(forClaim(t, files[other.id], c), nil); err == nil && v != truth(c) {
				t.Errorf("the certificate of %s shows that %s is %s", other.id, c.id, v)
			}
		}
		cert := decode(t, files[c.id])
		cert.Verdict = map[string]string{"VERIFIED": "REFUTED", "REFUTED": "VERIFIED"}[cert.Verdict]
		if _, err := c.check(encode(t, cert), nil); err == nil {
			t.Errorf("the opposite of %s is accepted", c.id)
		}
	}
}

// TestFalseClaims: a certificate does not do for the same claim with so much less ε or δ that it is
// false, nor for more copies, more noise distance, or another relation.
func TestFalseClaims(t *testing.T) {
	text, err := os.ReadFile("testdata/claims.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, files := samples(t)
	tried := 0
	for _, change := range [][2]string{
		{`epsilon: 1.5, delta: 0.0009`, `epsilon: 1.1, delta: 0.0009`},
		{`delta: 0.0009}`, `delta: 1e-7}`},
		{`epsilon: 0.22, delta: 1e-5`, `epsilon: 0.2, delta: 1e-5`},
		{`epsilon: 1, delta: 0.126936737506644`, `epsilon: 0.9999999999, delta: 0.126936737506644`},
		{`epsilon: 4, delta: 1e-4`, `epsilon: 3, delta: 1e-6`},
		{`epsilon: 3, delta: 0.28`, `epsilon: 2.9999, delta: 0.28`},
		{`epsilon: 3, delta: 0.28`, `epsilon: 3, delta: 0.27999`},
		{`epsilon: 6.96961879,`, `epsilon: 6.9696187,`},
		{`epsilon: 2.302585092994046,`, `epsilon: 2.302585092994045,`},
		{`epsilon: 7, delta: 0.4`, `epsilon: 6, delta: 0.1`},
		{`count: 250,`, `count: 251,`},
		{`count: 250,`, `count: 500,`},
		{`count: 20,`, `count: 40,`},
		{`count: 700,`, `count: 7000,`},
		{`240/60000`, `241/60000`},
		{`noise_multiplier: 1.3}`, `noise_multiplier: 1.25}`},
		{`noise_multiplier: 10}`, `noise_multiplier: 6}`},
		{`noise_multiplier: 1}`, `noise_multiplier: 0.2}`},
		{`epsilon: 0.1, delta: 1e-8`, `epsilon: 0.11, delta: 1e-8`},
		{`PermuteAndFlipDpEvent, epsilon: 0.1`, `PermuteAndFlipDpEvent, epsilon: 0.2`},
		{"- id: dp-sgd\n", "- id: dp-sgd\n    relation: REPLACE_ONE\n"},
		{"- id: laplaces\n", "- id: laplaces\n    relation: REPLACE_ONE\n"},
		{"    direction: remove\n", ""},
		{`2.6946320226546314]`, `2.6946320226546313]`},
		{`[40, 3.2]`, `[40, 3.18377764620234]`},
		{`[[1.5, `, `[[1.5000000000000001, `},
		{`7/3, 11.898362982290909`, `7/3, 11.898362982290908`},
		{`count: 1000,`, `count: 1001,`},
		{`rho: 0.27`, `rho: 0.26`},
		{`sampling_probs: [0.9801, 0.0198, 0.0001]`, `sampling_probs: [0.97, 0.0299, 0.0001]`},
		{`sensitivities: [0, 1, 2]`, `sensitivities: [0, 1.1, 2]`},
		{`epsilon: 1, delta: 0.0999020`, `epsilon: 1, delta: 0.0999019`},
		{"replaced\n    relation: REPLACE_ONE\n", "replaced\n    relation: REPLACE_SPECIAL\n"},
		{`epsilon: 1, delta: 3.2729e-4`, `epsilon: 1, delta: 3.2728e-4`},
		{`q: [0.816, 0.184]`, `q: [0.84, 0.16]`},
		{`truncated_batch_size: 40`, `truncated_batch_size: 25`},
		{`truncated_batch_size: 12`, `truncated_batch_size: 11`},
		{`dataset_size: 2000`, `dataset_size: 3000`},
		{`epsilon: 1, delta: 0.0075}`, `epsilon: 1, delta: 0.006}`},
	} {
		changed := strings.ReplaceAll(string(text), change[0], change[1])
		claims, err := readClaims([]byte(changed), nil)
		if err != nil || changed == string(text) {
			t.Fatalf("%v: %v", change, err)
		}
		old, _ := samples(t)
		for i, c := range claims {
			if c.statement == old[i].statement || truth(c) == "REFUTED" {
				continue // the same, or still false with less ε
			}
			tried++
			data := files[c.id]
			if _, err := c.check(data, nil); err == nil {
				t.Errorf("%v: the old certificate of %s is accepted", change, c.id)
			}
			if c.problem != nil {
				continue
			}
			if v, err := c.check(forClaim(t, data, c), nil); err == nil {
				t.Errorf("%v: %s is accepted as %s", change, c.id, v)
			}
		}
	}
	if tried < 25 {
		t.Errorf("%d claims, want more", tried)
	}
}

// TestFewerCopies: with a copy left out, or one direction, or a part, nothing is accepted.
func TestFewerCopies(t *testing.T) {
	claims, files := samples(t)
	for _, c := range claims {
		cert := decode(t, files[c.id])
		for k, ch := range cert.Chains {
			if len(cert.Chains) > 1 {
				one := *cert
				one.Chains = slices.Delete(slices.Clone(cert.Chains), k, k+1)
				if _, err := c.check(encode(t, &one), nil); err == nil {
					t.Errorf("%s is accepted without the direction %s", c.id, ch.Direction)
				}
			}
			if ch.Grid == nil {
				continue
			}
			for i, o := range ch.Grid.Plan {
				if o.Op == "cut" || o.Op == "coarsen" || i%23 > 0 && os.Getenv("DPVERIFY_LONG") == "" {
					continue
				}
				fewer := decode(t, files[c.id])
				g := fewer.Chains[k].Grid
				g.Plan = slices.Delete(g.Plan, i, i+1)
				if _, err := c.check(encode(t, fewer), nil); err == nil {
					t.Errorf("%s is accepted without step %d of its plan, %v", c.id, i, o)
				}
			}
		}
	}
}

// A mutation changes one thing of a certificate, by chance.
var mutations = []func(r *rand.Rand, c *certificate) bool{
	func(r *rand.Rand, c *certificate) bool { c.Version += 1 + r.IntN(3); return true },
	func(r *rand.Rand, c *certificate) bool { c.Claim = flip(r, c.Claim); return true },
	func(r *rand.Rand, c *certificate) bool {
		c.Verdict = map[string]string{"VERIFIED": "REFUTED", "REFUTED": "VERIFIED"}[c.Verdict]
		return true
	},
	func(r *rand.Rand, c *certificate) bool {
		ch := &c.Chains[r.IntN(len(c.Chains))]
		ch.Direction = map[direction]direction{remove: add, add: remove}[ch.Direction]
		return true
	},
	func(r *rand.Rand, c *certificate) bool { c.Chains = append(c.Chains, c.Chains[0]); return true },
	func(r *rand.Rand, c *certificate) bool { c.Chains = c.Chains[1:]; return true },
	func(r *rand.Rand, c *certificate) bool { c.Chains[0].Grid = nil; return true },
	onGrid(func(r *rand.Rand, g *grid) { g.Bits = uint(r.IntN(260)) }),
	onGrid(func(r *rand.Rand, g *grid) { g.Step = flip(r, g.Step) }),
	onGrid(func(r *rand.Rand, g *grid) { g.Leaves = append(g.Leaves, g.Leaves[0]) }),
	onGrid(func(r *rand.Rand, g *grid) { g.Leaves = g.Leaves[1:] }),
	onLeaf(func(r *rand.Rand, l *leaf) { l.Levels += r.IntN(5) - 2 }),
	onLeaf(func(r *rand.Rand, l *leaf) { l.Index[r.IntN(len(l.Index))] += r.Int64N(9) - 4 }),
	onLeaf(func(r *rand.Rand, l *leaf) { l.Index[r.IntN(len(l.Index))] ^= 1 << r.IntN(50) }),
	onLeaf(func(r *rand.Rand, l *leaf) {
		if l.Mass != nil {
			m := l.Mass[r.IntN(len(l.Mass))]
			m.Add(m, new(big.Int).Lsh(big.NewInt(int64(r.IntN(7)-3)), uint(r.IntN(60))))
		}
	}),
	onLeaf(func(r *rand.Rand, l *leaf) {
		if k := r.IntN(len(l.Index)); l.Mass != nil { // a kink is left out, its mass moves
			m := l.Mass[k]
			l.Index, l.Mass = slices.Delete(l.Index, k, k+1), slices.Delete(l.Mass, k, k+1)
			if len(l.Mass) > 0 {
				x := l.Mass[max(0, k-1)]
				x.Add(x, m)
			}
		}
	}),
	onLeaf(func(r *rand.Rand, l *leaf) {
		if len(l.Part) > 0 {
			l.Part[r.IntN(len(l.Part))] ^= 1 << r.IntN(20)
		}
	}),
	onLeaf(func(r *rand.Rand, l *leaf) {
		if len(l.Threshold) > 0 {
			l.Threshold[r.IntN(len(l.Threshold))] ^= 1 << r.IntN(50)
		}
	}),
	onPlan(func(r *rand.Rand, p []operation, k int) []operation { return slices.Delete(p, k, k+1) }),
	onPlan(func(r *rand.Rand, p []operation, k int) []operation { return slices.Insert(p, k, p[k]) }),
	onPlan(func(r *rand.Rand, p []operation, k int) []operation { p[k] = p[r.IntN(len(p))]; return p }),
	onPlan(func(r *rand.Rand, p []operation, k int) []operation {
		p[k].X, p[k].Y = r.IntN(300), r.IntN(3000)
		return p
	}),
}

func flip(r *rand.Rand, s string) string {
	b := []byte(s)
	b[r.IntN(len(b))] ^= 1 << r.IntN(7)
	return string(b)
}

func onGrid(f func(*rand.Rand, *grid)) func(*rand.Rand, *certificate) bool {
	return func(r *rand.Rand, c *certificate) bool {
		g := c.Chains[r.IntN(len(c.Chains))].Grid
		if g == nil {
			return false
		}
		f(r, g)
		return true
	}
}

func onLeaf(f func(*rand.Rand, *leaf)) func(*rand.Rand, *certificate) bool {
	return onGrid(func(r *rand.Rand, g *grid) { f(r, &g.Leaves[r.IntN(len(g.Leaves))]) })
}

func onPlan(f func(*rand.Rand, []operation, int) []operation) func(*rand.Rand, *certificate) bool {
	return onGrid(func(r *rand.Rand, g *grid) { g.Plan = f(r, g.Plan, r.IntN(len(g.Plan))) })
}

// TestMutations: what is still accepted after a random change is true. Changes of
// evidence may leave evidence: another threshold, a mass less. DPVERIFY_LONG tries 40 times more.
func TestMutations(t *testing.T) {
	claims, files := samples(t)
	rounds := 2
	if os.Getenv("DPVERIFY_LONG") != "" {
		rounds = 240
	}
	seed := uint64(19)
	r := rand.New(rand.NewPCG(seed, 1))
	tried, accepted := 0, make(map[string]int)
	for _, c := range claims {
		data := files[c.id]
		for range rounds {
			kind := r.IntN(len(mutations) + 2)
			var changed []byte
			if kind < len(mutations) {
				cert := decode(t, data)
				if !mutations[kind](r, cert) {
					continue
				}
				changed = encode(t, cert)
			} else { // any byte
				changed = slices.Clone(data)
				changed[r.IntN(len(changed))] ^= 1 << r.IntN(8)
			}
			tried++
			v, err := c.check(changed, nil)
			if err != nil || bytes.Equal(changed, data) {
				continue
			}
			accepted[fmt.Sprint(kind)]++
			if v != truth(c) {
				t.Errorf("%s is accepted as %s after a change of kind %d", c.id, v, kind)
			}
			// The same change must not show what is false.
			for _, other := range []*claim{harder(c)} {
				if v, err := other.check(forClaim(t, changed, other), nil); err == nil {
					t.Errorf("%s with another δ is accepted as %s after a change of kind %d", c.id, v, kind)
				}
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d mutations, want more", tried)
	}
	t.Logf("%d mutations, accepted by kind: %v", tried, accepted)
}

// harder is a claim with a δ on the other side of the truth: a hundredth of it for a true claim,
// which is false then for all samples, and 1 for a false one. Divergences are a hundredth, or a hundred times as large.
func harder(c *claim) *claim {
	d := *c
	if c.epsilon == nil {
		factor := big.NewRat(1, 100)
		if truth(c) == "REFUTED" {
			factor.SetInt64(100)
		}
		if c.rho != nil {
			d.rho = new(big.Rat).Mul(c.rho, factor)
		}
		d.points = nil
		for _, p := range c.points {
			v := new(big.Rat).Mul(p.most, factor)
			d.points = append(d.points, point{p.order, v, v})
		}
		return &d
	}
	if truth(c) == "VERIFIED" {
		d.delta = new(big.Rat).Quo(c.delta, big.NewRat(100, 1))
		if c.delta.Sign() == 0 {
			d.epsilon = new(big.Rat).Sub(c.epsilon, big.NewRat(1, 2))
		}
	} else {
		d.delta = big.NewRat(1, 1)
	}
	return &d
}

// FuzzCertificate: no text shows anything but what is true, and none gets through to a bug.
func FuzzCertificate(f *testing.F) {
	claims, files := samples(f)
	for i, c := range claims {
		f.Add(uint8(i), files[c.id])
	}
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		c := claims[int(i)%len(claims)]
		v, err := c.check(data, nil)
		if err == nil && v != truth(c) {
			t.Errorf("%s is accepted as %s", c.id, v)
		}
		if err != nil && strings.HasPrefix(err.Error(), "internal error") {
			t.Error(err)
		}
	})
}

// TestOnlyTheStandardLibrary: no import has a dot in its first element.
func TestOnlyTheStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{range .Imports}}{{.}} {{end}}{{.Module.Path}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(string(out))
	for _, p := range words[:len(words)-1] {
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") || first == "dpverify" {
			t.Errorf("imports %s", p)
		}
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil || regexp.MustCompile(`(?m)^(require|replace)`).Match(mod) {
		t.Errorf("go.mod requires something, or %v", err)
	}
}

// TestItIsShort: it can be read in an hour, and is as long as is said.
func TestItIsShort(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := make(map[string]int) // of each file, and "" of all on which a verdict rests
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for l := range strings.SplitSeq(string(data), "\n") {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "//") {
				lines[f]++
			}
		}
		if f != "coq.go" {
			lines[""] += lines[f]
		}
	}
	if lines[""] > 1665 || lines["coq.go"] > 91 {
		t.Errorf("%d lines of code and %d for Coq, want at most 1665 and 91", lines[""], lines["coq.go"])
	}
	said := fmt.Sprintf("%d,%03d lines", lines[""]/1000, lines[""]%1000)
	for file, want := range map[string]string{
		"checker.md": fmt.Sprintf("%s of Go with nothing but the standard library; %d of them read YAML and JSON", said, lines["document.go"]),
		"trust.md":   said,
	} {
		text, err := os.ReadFile("../docs/" + file)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
			t.Errorf("docs/%s does not say %q, %v", file, want, err)
		}
	}
}

// At the kink of a sample's profile, α = 1 − γ, rounding leaves open on which side α is. With γ = 1/3 and α
// the first point above 2/3, H is γ up to e^−500, which is no point of the grid and above 1 − α.
func TestSampleAtItsKink(t *testing.T) {
	work = 0
	setPrecision(64)
	third := big.NewRat(1, 3)
	f := &factor{pair: laplace{big.NewRat(1000, 1), third}}
	alpha := rational(big.NewRat(2, 3))
	h := f.profile(remove, iv{alpha.hi, alpha.hi})
	if h.hi.Cmp(rational(third).hi) < 0 {
		t.Errorf("H ≤ %s·2^−64, want 2^64/3 or more", h.hi)
	}
}

// TestMassesOfDiscreteGaussians: masses fall by the quotients of the density and sum to 1, and what is beyond is in the
// last one.
func TestMassesOfDiscreteGaussians(t *testing.T) {
	variances := []*big.Rat{big.NewRat(1, 50), big.NewRat(10, 11), big.NewRat(40, 3)}
	if os.Getenv("DPVERIFY_LONG") != "" {
		variances = append(variances, big.NewRat(909, 1))
	}
	for _, variance := range variances {
		for s := int64(1); s <= 3; s += 2 {
			setPrecision(400)
			masses := discreteGaussian(variance, s).pair.(*finite).masses()
			n := int64(len(masses) - 1)
			g := func(x int64) iv { return rational(new(big.Rat).Quo(big.NewRat(-x*x, 2), variance)).exp() }
			sum, far := integer(0), integer(0)
			for x := -4 * n; x <= 4*n; x++ {
				sum = sum.add(g(x))
				if x < -n/2 || x > n/2 {
					far = far.add(g(x))
				}
			}
			for i, m := range masses[:n] {
				x := int64(i) - n/2
				for _, d := range []iv{m.p.sub(g(x - s).div(sum)), m.q.sub(g(x).div(sum))} {
					if d.lo.Sign() > 0 || d.hi.Sign() < 0 {
						t.Errorf("σ² = %s: the mass of %d is not what it is", variance, x)
					}
				}
			}
			rest := masses[n]
			if most := far.div(sum); rest.q.lo.Sign() != 0 || rest.p.lo.Sign() != 0 || most.lo.Cmp(rest.q.hi) > 0 {
				t.Errorf("σ² = %s: beyond there is %v, at most %v is said", variance, most, rest)
			}
		}
	}
}

func TestFileNames(t *testing.T) {
	for id, want := range map[string]string{"dp-SGD_1": "dp-SGD_1", "a/b c": "a%2fb%20c", "é\xff": "%c3%a9%ff", strings.Repeat("x", 300): strings.Repeat("x", 100), strings.Repeat("/", 50): strings.Repeat("%2f", 33) + "%"} {
		if got := fileName(id); got != want+".evidence" {
			t.Errorf("%q is in %s, want %s.evidence", id, got, want)
		}
	}
}
