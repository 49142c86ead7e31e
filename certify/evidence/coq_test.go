// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpverify/certify"
	"dpverify/certify/evidence"
	"dpverify/internal/testkit"
)

// coqFiles are the files for the claims of a file, for few in the quick suite, by the claims' ids.
func coqFiles(t *testing.T, file string, few int) map[string]string {
	t.Helper()
	claims, err := certify.ReadFile(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, c := range testkit.Few(few, claims) {
		o, err := certify.Decide(context.Background(), c, certify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		data, err := evidence.Coq(context.Background(), o)
		switch {
		case err == nil:
			files[c.ID] = string(data)
		case !errors.Is(err, evidence.ErrNone):
			t.Fatal(err)
		}
	}
	return files
}

// TestCoqStatements: the files state the claims, both directions of true ones, admit nothing, and are
// written for all closed forms.
func TestCoqStatements(t *testing.T) {
	files := coqFiles(t, "testdata/closed.yaml", 16)
	want := map[string][]string{
		"gaussian": {
			"parts := [(Gaussian (1 # 1) (1 # 1), 1%N)]; directions := [Remove; Add]; eps := (1 # 1); delta := (31734184376661 # 250000000000000) |}.",
		},
		"gaussian-false": {
			"parts := [(Gaussian (1 # 1) (1 # 1), 1%N)]; directions := [Remove; Add]; eps := (1 # 1); delta := (126936737506643 # 1000000000000000) |}.",
			"Theorem verdict : fails statement.", "against := Remove; in_prec := 152; in_bits := 104; in_grid := (1 # 1); in_limit := 0;",
			"split_start := 1; split_size := 2%nat;", "[((1, 0), ((3 # 2), 34%nat))]",
		},
		"discrete-gaussian":       {"parts := [(DiscreteGaussian (10 # 11) 2, 1%N)]; directions := [Remove; Add]; eps", "Profile 108 (17 # 1) ((0 # 1), 0%nat)."},
		"discrete-gaussian-false": {"Theorem verdict : fails statement.", "split_size := 3%nat; split_shift := (17 # 1);"},
		"gaussians":               {"parts := [(Gaussian (163 # 225) (1 # 1), 1%N)]; directions := [Add];"},
		"sampled-gaussian":        {"parts := [(Gaussian (1 # 1) (21 # 20000), 1%N)];"},
		"sampled-laplace":         {"parts := [(LaplaceNoise (2 # 1) (1 # 5), 1%N)];"},
		"laplace":                 {"parts := [(LaplaceNoise (1 # 2) (1 # 1), 1%N)];", "Theorem verdict : holds statement."},
		"sampled-gaussians":       {"parts := [(Gaussian (1 # 4) (1 # 10), 20%N)];"},
		"guarantees":              {"parts := [(guarantee (1 # 10) (1 # 100000000), 100%N)];", "(1 # 10) [\n    {| at_level := 0%nat; start := -1;"},
		"nothing":                 {"Theorem add : delta (0 / 1) (compose []) <= (0 / 1)."},
		"basic":                   {"parts := [(guarantee (1 # 1) (1 # 10), 1%N); (guarantee (2 # 1) (1 # 5), 1%N)];", "Losses [((1 # 1), (1 # 10)); ((2 # 1), (1 # 5))]."},
		"discrete-laplace":        {"parts := [(discrete_laplace (3 # 10) 2, 3%N)];"},
		"finite-false": {
			"delta := (1 # 10) |}.", "Theorem verdict : fails statement.", "against := Remove; in_prec := 72; in_bits := 24; in_grid := (21 # 64); in_limit := 3;",
			"split_level := 0%nat; split_start := -2; split_size := 5%nat;", "[((1, 5702), ((0 # 1), 0%nat)); ((-1, 49549),",
		},
		"response": {"parts := [(Finite [", "Definition remove_chain : chain :=\n  Profile 107 (1 # 1) ((0 # 1), 0%nat)."},
		"laplaces": {
			"Definition shift : R := (1 / 10).", "Definition eps : R := (3 / 2).", "Definition p (x : R) : R := lap (x - shift).",
			"Theorem remove : delta p q 20 1 (exp eps) <= (36488883 / 1000000000000).",
			"Theorem add : delta q p 20 1 (exp eps) <= (36488883 / 1000000000000).",
		},
		"laplaces-false":   {"Definition shift : R := (10 / 37).", "Theorem add : (0 / 1) < delta q p 2 1 (exp eps)."},
		"permute-and-flip": {"Theorem remove : delta p q 30 1 (exp eps) <= (1 / 50000).", "Of some it only dominates"},
		"all-losses":       {"parts := [(LaplaceNoise (1 # 10) (1 # 1), 20%N)];", "Losses [((1 # 10), (0 # 1))]."},
		"clamped":          {"parts := [(ClampedLaplace (1 # 2) (5 # 1) false, 1%N)];", "Profile 108 (1 # 1)"},
		"clamped-false":    {"Theorem verdict : fails statement."},
		"clamped-before":   {"parts := [(ClampedLaplace (1 # 2) (5 # 1) true, 1%N)];"},
		"clamped-copies":   {"parts := [(ClampedLaplace (1 # 2) (5 # 1) false, 2%N)];"},
		"renyi": {
			"Theorem remove : divergence_at_most (3 / 2) (compose [(part1, 1%nat)]) (13473160113273157 / 5000000000000000) /\\ divergence_at_most (3 / 1) (compose [(part1, 1%nat)]) (31 / 10).",
			"Theorem add : divergence_at_most (3 / 2) (compose [(exchange part1, 1%nat)]) (13473160113273157 / 5000000000000000)",
		},
		"renyi-false":    {"Theorem remove : divergence_above (101 / 100) (compose [(part1, 10%nat)]) (5 / 2)."},
		"renyi-infinite": {"Theorem remove : divergence_above (2 / 1) (compose [(part1, 1%nat); (part2, 1%nat)]) (1000 / 1)."},
		"rho": {
			"Theorem remove : concentrated (651 / 2500) (compose [(part1, 1%nat)]).",
			"Theorem add : concentrated (651 / 2500) (compose [(exchange part1, 1%nat)]).",
		},
		"rho-false": {"Theorem remove : ~ concentrated (2603 / 10000) (compose [(part1, 1%nat)])."},
		"rho-composed": {
			"Theorem add : concentrated (4 / 1) (compose [(exchange part1, 10%nat); (exchange part2, 1%nat)]).",
			"((((1 / 10) * (exp (1 / 2) / ((1 / 1) + exp (1 / 2)))) + ((9 / 10) * ((1 / 1) / ((1 / 1) + exp (1 / 2))))), ((1 / 1) / ((1 / 1) + exp (1 / 2))))",
		},
		"renyi-gaussians": {
			"Definition shift : R := sqrt (163 / 900).", "Definition p (x : R) : R := phi (x - shift).",
			"Theorem remove : divergence_at_most (2 / 1) p q (163 / 900) /\\ divergence_at_most (3 / 2) p q (1 / 5).",
			"Theorem add : divergence_at_most (2 / 1) q p (163 / 900) /\\ divergence_at_most (3 / 2) q p (1 / 5).",
		},
		"renyi-gaussian-false": {"Definition shift : R := sqrt (1 / 1).", "Theorem add : divergence_above (3 / 1) q p (149 / 100)."},
		"rho-gaussian":         {"Theorem remove : concentrated (1 / 8) p q.", "Theorem add : concentrated (1 / 8) q p."},
		"rho-gaussian-false":   {"Theorem remove : ~ concentrated (124999999999999999 / 1000000000000000000) p q."},
		"rho-infinite":         {"Theorem remove : ~ concentrated (100 / 1) (compose [(part1, 1%nat)])."},
		"rho-nothing":          {"Theorem add : concentrated (0 / 1) (compose [])."},
	}
	for id, lines := range want {
		if _, ok := files[id]; !ok && !testkit.Thorough() {
			continue
		}
		for _, l := range lines {
			if !strings.Contains(strings.Join(strings.Fields(files[id]), " "), strings.Join(strings.Fields(l), " ")) {
				t.Errorf("%s: the file does not say %s", id, l)
			}
		}
		if m := regexp.MustCompile(`\b(Admitted|admit|Axiom|Parameter|Conjecture)\b`).FindString(files[id]); m != "" {
			t.Errorf("%s: the file has %s", id, m)
		}
	}
	if n := len(files); n != len(want) && (testkit.Thorough() || n < 10) {
		t.Errorf("%d files, want %d", n, len(want))
	}
}

// TestCoqNames: they are different, and modules of Coq.
func TestCoqNames(t *testing.T) {
	ids := []string{"a-b", "a_b", "a b", "1", "ä", strings.Repeat("x", 200), strings.Repeat("x", 100), "a/../b", "a--b"}
	seen := make(map[string]bool)
	for _, id := range ids {
		name := evidence.CoqName(id)
		if seen[name] || !regexp.MustCompile(`^claim_[A-Za-z0-9_]+\.v$`).MatchString(name) {
			t.Errorf("CoqName(%q) = %q, which is no new module", id, name)
		}
		seen[name] = true
	}
}

// assumed are the axioms that files may rest on: of Coq's real numbers, and of its machine integers and
// floats, which CoqInterval computes with.
var assumed = regexp.MustCompile(`^(ClassicalDedekindReals\.sig_(forall_dec|not_dec)|FunctionalExtensionality\.functional_extensionality_dep|Classical_Prop\.classic|(PrimInt63|Uint63|Int63|PrimFloat|FloatAxioms|Sint63|CarryType|FloatOps)\..*)$`)

// theorem matches the beginning of what a file proves about the claim.
var theorem = regexp.MustCompile(`(?m)^Theorem (remove|add|verdict) `)

// checkAxioms fails a test of a file that Coq accepts if a theorem rests on anything else.
func (l *library) checkAxioms(t *testing.T, text string) {
	t.Helper()
	theorems := theorem.FindAllStringSubmatch(text, -1)
	if len(theorems) == 0 {
		t.Error("no theorem")
	}
	for _, m := range theorems {
		text += "Print Assumptions " + m[1] + ".\n"
	}
	ok, out := l.coqc(t, text)
	if !ok {
		t.Fatalf("rejected: %s", out)
	}
	for _, m := range regexp.MustCompile(`(?m)^([A-Za-z_][A-Za-z0-9_.]*)(?: |$)`).FindAllStringSubmatch(out, -1) {
		if m[1] != "Axioms" && m[1] != "Closed" && !assumed.MatchString(m[1]) {
			t.Errorf("rests on %s", m[1])
		}
	}
}

// A library has the theories of files, which precede the claims and are the same for all claims of a kind, each
// compiled once, in a folder for the test.
type library struct {
	dir      string
	proofs   string // for proofs/compile, as proofs/check has it
	mu       sync.Mutex
	theories map[string]func() error // by name
}

func newLibrary(t *testing.T) *library {
	dir := t.TempDir()
	return &library{dir: dir, proofs: cmp.Or(os.Getenv("DPVERIFY_PROOFS"), dir), theories: make(map[string]func() error)}
}

// coqc says whether Coq accepts a file as it is.
func (l *library) coqc(t *testing.T, text string) (bool, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "claim.v"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := l.run(dir, "claim.v")
	return err == nil, out
}

func (l *library) run(dir, file string) (string, error) {
	cmd := exec.Command("coqc", "-w", "none", "-Q", l.dir, "Theories", "-R", filepath.Join(l.proofs, "theory"), "Dpverify", file)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// local matches what a theory says to Coq that is not known where the theory is imported.
var local = regexp.MustCompile(`(?m)^(From \S+ Require Import|Import|Local (Open|Close) Scope) .*\.$`)

// apart returns the file with its theory imported instead of repeated: what comes after it is read as it is there.
func (l *library) apart(t *testing.T, text string) string {
	t.Helper()
	if strings.Contains(text, fromTheory) {
		return text
	}
	_, text, ok := strings.Cut(text, "(* Copyright ") // before it are words about the claim
	theory, claim, ok2 := strings.Cut(text, "(** * The claim *)")
	if !ok || !ok2 {
		t.Fatal("where are the theory and the claim?")
	}
	theory = "(* Copyright " + theory
	name := fmt.Sprintf("theory_%x", sha256.Sum256([]byte(theory)))[:20]
	l.mu.Lock()
	compile, ok := l.theories[name]
	if !ok {
		compile = sync.OnceValue(func() error {
			if err := os.WriteFile(filepath.Join(l.dir, name+".v"), []byte(theory), 0o666); err != nil {
				return err
			}
			out, err := l.run(l.dir, name+".v")
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
		l.theories[name] = compile
	}
	l.mu.Unlock()
	if err := compile(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(local.FindAllString(theory, -1), "\n") + "\nFrom Theories Require Import " + name + ".\n" + claim
}

// fromTheory is a line of files that use proofs/theory.
const fromTheory = "From Dpverify Require Import"

// compile compiles proofs/theory, but what it rests on.
func (l *library) compile(t *testing.T) {
	t.Helper()
	args := []string{l.proofs, "theory/Data.v", "theory/Refuted.v", "theory/Kronecker.v"}
	if out, err := exec.Command("../../proofs/compile", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// whole are claims whose files are tried as they are written, one of each theory. The files of the others differ from
// them in the claim alone, and theirs is tried behind the same theory, compiled once.
var whole = []string{"gaussian", "guarantees", "laplaces", "rho", "renyi-gaussians"}

// TestCoqAccepts the files for claims of every kind and, with DPVERIFY_LONG, none for the same with another δ. The
// files for published claims are tried with DPVERIFY_COQ=all, which takes a quarter of an hour.
func TestCoqAccepts(t *testing.T) {
	if os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("Coq takes minutes: make long runs it, and .ci/run some of it")
	}
	l := newLibrary(t)
	if ok, _ := l.coqc(t, "From Interval Require Import Tactic.\n"); !ok {
		t.Skip("no coqc with CoqInterval here: on Debian, apt-get install coq libcoq-interval")
	}
	l.compile(t)
	files := coqFiles(t, "testdata/closed.yaml", math.MaxInt)
	for id, text := range files {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			if !slices.Contains(whole, id) {
				text = l.apart(t, text)
			}
			l.checkAxioms(t, text)
		})
	}
	for _, change := range [][3]string{
		{"gaussian", `\(31734184376661 # 250000000000000\)`, "(126936737506643 # 1000000000000000)"},
		{"gaussian", `Gaussian \(1 # 1\)`, "Gaussian (11 # 10)"},
		{"gaussians", `Profile 1\d\d \(`, "Profile 20 ("},
		{"sampled-gaussian", `\b1 # 1000\b`, "1 # 3000"},
		{"sampled-gaussians", `%N`, "0%N"},
		{"sampled-gaussians", `values := \[(\d+)`, "values := [${1}0"},
		{"sampled-laplace", `1 # 5\b`, "2 # 5"},
		{"gaussian-false", `\(126936737506643 #`, "(126936737506644 #"},
		{"gaussian-false", `fails statement`, "holds statement"},
		{"finite-false", `delta := \(1 # 10\)`, "delta := (9 # 10)"},
		{"discrete-gaussian", `delta := \(23 # 100\)`, "delta := (2299 # 10000)"},
		{"discrete-gaussian-false", `10 # 11`, "1 # 1"},
		{"finite-false", `20%N`, "2%N"},
		{"guarantees", `696961879`, "696961870"},
		{"basic", `\b7( / | # )25\b`, "69${1}250"},
		{"laplace", `59 # 500`, "1174 # 10000"},
		{"discrete-laplace", `delta := \(1 # 10\)`, "delta := (1 # 1000)"},
		{"clamped", `139 # 25000`, "139 # 25100"},
		{"clamped-false", `5 # 1`, "6 # 1"},
		{"clamped-before", `1 # 2`, "3 # 5"},
		{"laplaces", `36488883 / 1000000000000`, "36488882 / 1000000000000"},
		{"laplaces", `eps : R := \(3 / 2\)`, "eps : R := (2999999999 / 2000000000)"},
		{"laplaces-false", `shift : R := \(10 / 37\)`, "shift : R := (10 / 38)"},
		{"permute-and-flip", `<= \(1 / 50000\)`, "<= (1 / 90000)"},
		{"renyi", `13473160113273157`, "13473160113273140"},
		{"renyi-false", `\b101\b`, "100"},
		{"renyi-false", `\b10%nat`, "5%nat"},
		{"renyi-infinite", `\b0( / |\) )1\b`, "1${1}1"},
		{"rho", `\b651\b`, "650"},
		{"rho", `\b16771735\b`, "15771735"},
		{"rho", `\(\(Frac \(191\).*\n`, ""},
		{"rho", `23\b`, "24"},
		{"rho-false", `\b2603\b`, "2604"},
		{"renyi-gaussians", `p q \(163`, "p q (162"},
		{"renyi-gaussians", `sqrt \(163`, "sqrt (164"},
		{"renyi-gaussian-false", `\b149\b`, "150"},
		{"rho-gaussian", `\b1 / 8\b`, "999999999 / 8000000000"},
		{"rho-gaussian-false", `\b124999999999999999\b`, "125000000000000000"},
		{"rho-composed", `\b10%nat`, "20%nat"},
		{"rho-infinite", `\b1( / |\) )10\b`, "0${1}10"},
		{"rho-nothing", `\b0( / |\) )1\b`, "-1${1}1"},
		{"all-losses", `eps := \(2 # 1\)`, "eps := (199 # 100)"},
	} {
		t.Run(change[0]+" wrong", func(t *testing.T) {
			t.Parallel()
			right := l.apart(t, files[change[0]])
			// Integrals that are not as claimed are tried until the fuel is used up: here a tenth of it, with which
			// what is right is accepted still.
			if less := strings.ReplaceAll(right, "i_fuel 200", "i_fuel 20"); less != right {
				right = less
				if ok, out := l.coqc(t, right); !ok {
					t.Errorf("rejected: %s", out)
				}
			}
			wrong := regexp.MustCompile(change[1]).ReplaceAllString(right, change[2])
			if wrong == right {
				t.Fatal("nothing changed")
			}
			if ok, _ := l.coqc(t, wrong); ok {
				t.Error("accepted")
			}
		})
	}
	if os.Getenv("DPVERIFY_COQ") != "all" {
		return
	}
	published, err := filepath.Glob("../../testdata/golden/published/*.yaml")
	if err != nil || len(published) == 0 {
		t.Fatal(err, "no published claims")
	}
	for _, file := range published {
		for id, text := range coqFiles(t, file, math.MaxInt) {
			t.Run(id, func(t *testing.T) {
				if ok, out := l.coqc(t, text); !ok {
					t.Errorf("rejected: %s", out)
				}
			})
		}
	}
}

// TestCoqFilesAreTied: proofs/check accepts a file, and none that proves another claim than the checker reads, or rests
// on an axiom of its own.
func TestCoqFilesAreTied(t *testing.T) {
	if _, err := exec.LookPath("coqc"); err != nil || os.Getenv("DPVERIFY_LONG") == "" {
		t.Skip("make proofs and .ci/run run it, with coqc")
	}
	files, dir := coqFiles(t, "testdata/closed.yaml", math.MaxInt), t.TempDir()
	another := strings.Replace(files["laplace"], "59 # 500", "60 # 500", 1)
	before, _, _ := strings.Cut(files["gaussian"], "Theorem verdict")
	axiom := before + "Axiom regular : holds statement.\nTheorem verdict : holds statement.\nProof. exact regular. Qed.\n"
	less := strings.Replace(files["finite-false"], "delta := (1 # 10)", "delta := (1 # 20)", 1)
	for id, text := range map[string]string{
		"sampled-gaussian": files["sampled-gaussian"], "laplace": another, "gaussian": axiom,
		"gaussian-false": files["gaussian-false"], "finite-false": less,
	} {
		if err := os.WriteFile(filepath.Join(dir, evidence.CoqName(id)), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command("../../proofs/check", "testdata/closed.yaml", dir).CombinedOutput()
	for _, line := range []string{
		"ACCEPTED sampled-gaussian VERIFIED\n", "REJECTED laplace\n", "REJECTED gaussian\n", "ACCEPTED gaussian-false REFUTED\n", "REJECTED finite-false\n",
	} {
		if err == nil || !strings.Contains(string(out), line) {
			t.Errorf("%v, without %s: %s", err, line, out)
		}
	}
}
