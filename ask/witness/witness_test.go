// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package witness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpverify/certify"
	"dpverify/definition"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/exact/meaning"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
)

// refuted are false claims, and what shows it.
func refuted(t *testing.T) (ids []string, rs []Request) {
	t.Helper()
	claims, err := certify.ReadFile(t.Context(), "testdata/refuted.yaml")
	if err != nil || len(claims) < 10 {
		t.Fatalf("%d claims, %v", len(claims), err)
	}
	for _, c := range claims {
		p, ok := c.Point()
		if !ok {
			t.Fatalf("%s: %v", c.ID, c.Err)
		}
		r, ok := Of(&certify.Outcome{Claim: c, Verdict: certify.Refuted})
		if !ok || r.Epsilon.Cmp(p.Epsilon) != 0 || r.Delta.Cmp(p.Delta) != 0 {
			t.Fatalf("%s: no request", c.ID)
		}
		ids, rs = append(ids, c.ID), append(rs, r)
	}
	return ids, rs
}

// TestWitnessesRecomputed: mpmath, with probabilities of its own, finds P(S) and Q(S) where they are said to be, and
// P(S) > e^ε·Q(S) + δ.
func TestWitnessesRecomputed(t *testing.T) {
	python := []string{"python3", "/usr/bin/python3"} // which is where Debian's package is
	i := slices.IndexFunc(python, func(p string) bool { return exec.Command(p, "-c", "import mpmath").Run() == nil })
	if i < 0 {
		t.Skip("no python3 with mpmath: on Debian, apt-get install python3-mpmath")
	}
	ids, rs := refuted(t)
	var in bytes.Buffer
	found := map[string]*Witness{}
	delta := map[string]*big.Rat{}
	for i, r := range rs {
		if ids[i] == "opacus-gdp-643" && !testkit.Long() { // 643 steps take seconds
			continue
		}
		w, err := Find(t.Context(), r)
		if err != nil {
			t.Fatalf("%s: %v", ids[i], err)
		}
		if w.P == nil || w.Excess.Lo.Cmp(r.Delta) <= 0 {
			t.Errorf("%s: the excess is %v, want a set with more than %v", ids[i], w.Excess, r.Delta)
		}
		found[ids[i]], delta[ids[i]] = w, r.Delta
		if err := json.NewEncoder(&in).Encode(map[string]any{"id": ids[i], "event": json.RawMessage(mechanism.EncodeEvent(r.Event)),
			"relation": r.Relation.String(), "witness": w.Report(r)}); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), python[i], filepath.Join("testdata", "recompute.py"))
	c.Stdin = &in
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*exec.ExitError).Stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(found) {
		t.Fatalf("%d lines, want %d", len(lines), len(found))
	}
	// What both computed is rounded to some 30 digits, and sums of many masses have 2^−160 each.
	slack := testkit.Rat("1e-26")
	for _, line := range lines {
		f := strings.Fields(line)
		w := found[f[0]]
		for k, x := range []Range{*w.P, *w.Q, w.Excess} {
			y := testkit.Rat(f[k+1])
			if new(big.Rat).Add(y, slack).Cmp(x.Lo) < 0 || new(big.Rat).Sub(y, slack).Cmp(x.Hi) > 0 {
				t.Errorf("%s: number %d is %s, want it in [%s, %s]", f[0], k, f[k+1], x.Lo.FloatString(40), x.Hi.FloatString(40))
			}
		}
		if testkit.Rat(f[3]).Cmp(delta[f[0]]) <= 0 {
			t.Errorf("%s: the excess is %s, want more than δ = %s", f[0], f[3], delta[f[0]].RatString())
		}
	}
}

// TestNoWitnessIsAbove: a set of outputs shows no more than the truth, in either direction, under each relation, where
// both have a meaning.
func TestNoWitnessIsAbove(t *testing.T) {
	ids, rs := refuted(t)
	for i, r := range rs {
		if !testkit.Long() && !slices.Contains([]string{"recurve", "dpacc-rr-one", "guarantee-special"}, ids[i]) {
			continue
		}
		for j, relation := range testkit.InTurn(i, []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial, mechanism.ReplaceOne}) {
			for _, direction := range testkit.InTurn(i+j, []mechanism.Direction{mechanism.Remove, mechanism.Add}) {
				r := r
				r.Relation, r.Direction, r.Delta, r.Epsilon = relation, direction, nil, big.NewRat(1, 2)
				w, err := Find(t.Context(), r)
				p, failed := exact.Prepare(t.Context(), exact.Question{Event: r.Event, Relation: relation, Direction: direction}, 0)
				if failed != nil {
					var no *meaning.RelationError
					if !errors.As(failed, &no) || err == nil {
						t.Errorf("%v %v %s: a witness: %v; asked: %v", relation, direction, mechanism.EncodeEvent(r.Event), err, failed)
					}
					continue
				}
				if errors.Is(err, ErrNone) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				d, err := p.Delta(t.Context(), r.Epsilon)
				if err != nil {
					t.Fatal(err)
				}
				if d.Upper != nil && w.Excess.Lo.Cmp(d.Upper) > 0 || d.Less(bits.Rat(w.Excess.Lo)) == interval.True {
					t.Errorf("%v %v %s: an excess of %s, and δ is %v", relation, direction, mechanism.EncodeEvent(r.Event), w.Excess.Lo.FloatString(20), d)
				}
			}
		}
	}
}

// TestHalfLinesShowAll: of Gaussian noise a half line has the excess δ(ε), so that nothing else is looked for.
func TestHalfLinesShowAll(t *testing.T) {
	e, err := mechanism.DecodeEvent([]byte(`{"class_name": "ComposedDpEvent", "events": [
		{"class_name": "GaussianDpEvent", "noise_multiplier": 2},
		{"class_name": "SelfComposedDpEvent", "count": 3, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, relation := range []mechanism.Relation{mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial, mechanism.ReplaceOne} {
		for _, direction := range []mechanism.Direction{mechanism.Both, mechanism.Remove, mechanism.Add} {
			for _, eps := range []string{"-2", "0", "1/3", "40"} {
				r := Request{Epsilon: testkit.Rat(eps)}
				r.Event, r.Relation, r.Direction = e, relation, direction
				w, err := halfLine(t.Context(), r)
				if err != nil || w == nil {
					t.Fatalf("%v %v %s: no half line, %v", relation, direction, eps, err)
				}
				p, err := exact.Prepare(t.Context(), exact.Question{Event: e, Relation: relation, Direction: direction}, 0)
				if err != nil {
					t.Fatal(err)
				}
				d, err := p.Delta(t.Context(), r.Epsilon)
				if err != nil {
					t.Fatal(err)
				}
				excess := interval.Union(bits.Rat(w.Excess.Lo), bits.Rat(w.Excess.Hi))
				if _, ok := interval.Intersect(excess, d.Interval); !ok || excess.RelativeBits(40) < 30 {
					t.Errorf("%v %v: an excess in %v at %s, and δ is %v", relation, direction, excess, eps, d)
				}
			}
		}
	}
}

// TestWitnessesOfAnySize: a number e^ε that is too long to be written, or a probability, is no fault, and what is found
// is an excess.
func TestWitnessesOfAnySize(t *testing.T) {
	const composed = `{"class_name": "SelfComposedDpEvent", "count": 3, "event": "poisson(1/2, laplace(1))"}`
	guaranteed := `{"module_name": "dpverify", "class_name": "DominatingPairEvent", "profile": [["-1000000", 1], ["-100", 1], ["1", "0.2"], ["1000000", "0.1"]]}`
	type sized struct {
		event, epsilon, least string // least is what the excess has to reach, or "": nothing needs to be found
	}
	for _, x := range testkit.First(testkit.Draws(3, 10, 10), []sized{
		{`"gaussian(1)"`, "1000000", ""},
		{`"gaussian(1)"`, "-1000000", "0.99"},
		{`"gaussian(1e-60)"`, "1000000", "0.99"},
		{`"laplace(1e-7)"`, "1000000", "0.99"},
		{`"poisson(1/2, laplace(1e-7))"`, "1000000", "0.49"},
		{composed, "1000000", ""},
		{composed, "-1000000", "0.99"},
		{`{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1000000, "delta": "0.1"}`, "0", "0.99"},
		{`{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1000000, "delta": "0.1"}`, "1000000", "0.099"},
		{guaranteed, "1000000", "0.099"},
		{guaranteed, "0", "0.5"},
	}...) {
		e, err := mechanism.DecodeEvent([]byte(x.event))
		if err != nil {
			t.Fatalf("%s: %v", x.event, err)
		}
		epsilon, _ := new(big.Rat).SetString(x.epsilon)
		r := Request{Question: definition.Question{Event: e}, Epsilon: epsilon}
		w, err := Find(t.Context(), r)
		switch least, wanted := new(big.Rat).SetString(x.least); {
		case errors.Is(err, ErrNone):
			if wanted {
				t.Errorf("%s at ε = %s: none", x.event, x.epsilon)
			}
		case err != nil:
			t.Errorf("%s at ε = %s: %v", x.event, x.epsilon, err)
		case !wanted || w.Excess.Lo.Cmp(least) < 0 || w.Excess.Lo.Cmp(big.NewRat(1, 1)) > 0:
			t.Errorf("%s at ε = %s: an excess of %s", x.event, x.epsilon, w.Excess.Lo.FloatString(12))
		}
	}
	r := Request{Question: definition.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}, Epsilon: big.NewRat(3000, 1)}
	if w, err := halfLine(t.Context(), r); w != nil || err != nil { // e^3000 has a length, the tail e^−4500000 has none
		t.Errorf("gaussian(1) at ε = 3000: %v, %v", w, err)
	}
}

// TestWideNoiseIsNotListed: discrete noise whose terms are too many to be summed up is left to the pair, at once.
func TestWideNoiseIsNotListed(t *testing.T) {
	e := mechanism.DiscreteGaussian{Sigma: big.NewRat(1e9, 1), Sensitivity: big.NewRat(1, 1)}
	w, err := Find(t.Context(), Request{Question: definition.Question{Event: e}, Epsilon: big.NewRat(-1e5, 1), Delta: new(big.Rat)})
	if err != nil || w.P != nil || w.Excess.Lo.Cmp(big.NewRat(9, 10)) < 0 {
		t.Errorf("%+v, %v", w, err)
	}
}

// TestOutputsOfKeysHaveNames: where counts of keys have different numbers of cells, those outcomes of the enumeration
// that are no outputs are left out, and all outputs on either data set are listed.
func TestOutputsOfKeysHaveNames(t *testing.T) {
	for _, keys := range []string{"2", "3"} {
		e, err := mechanism.DecodeEvent([]byte(`{"module_name": "dpverify", "class_name": "ThresholdedNoiseEvent",
			"event": "laplace(1)", "threshold": 2, "keys": ` + keys + `}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, look := range []func(context.Context, Request) (*Witness, error){few, many} {
			w, err := look(t.Context(), Request{Question: definition.Question{Event: e}, Epsilon: big.NewRat(2, 5),
				Delta: big.NewRat(1, 10)})
			if err != nil || w == nil {
				t.Fatalf("%s keys: %v", keys, err)
			}
			p, q := nothing(), nothing()
			for _, o := range w.Set.Releases[0].Outcomes {
				if o.Label == "" || o.P.Hi.Sign() == 0 && o.Q.Hi.Sign() == 0 {
					t.Errorf("%s keys: an outcome %q with P in %v and Q in %v", keys, o.Label, o.P, o.Q)
				}
				p, q = p.plus(o.P), q.plus(o.Q)
			}
			for _, total := range []Range{p, q} {
				if one := big.NewRat(1, 1); total.Lo.Cmp(one) > 0 || total.Hi.Cmp(one) < 0 {
					t.Errorf("%s keys: the outcomes have the probability %v, want 1", keys, total)
				}
			}
		}
	}
}
