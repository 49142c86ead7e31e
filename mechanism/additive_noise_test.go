// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dpverify/internal/document"
	"dpverify/internal/testkit"
)

// decodeNoise reads a noise of cells of 1/2 whose probabilities are in a file.
func decodeNoise(t *testing.T, d Decoder, kind, file string) (AdditiveNoise, error) {
	t.Helper()
	d.Open = files(map[string]string{"n.csv": file})
	e, err := d.Event(parse(t, `{"class_name": "AdditiveNoiseEvent", "probabilities": "n.csv", "cell": "1/2", "sensitivity": 1, "kind": "`+kind+`"}`), "event")
	if err != nil {
		return AdditiveNoise{}, err
	}
	return e.(AdditiveNoise), nil
}

func TestNoiseFromAFile(t *testing.T) {
	e, err := decodeNoise(t, Decoder{}, "lattice", "cell,probability\n1,1/4\n-1,0.25\n0,1/2\n")
	if err != nil {
		t.Fatal(err)
	}
	r := func(s string) *big.Rat { return testkit.Rat(s) }
	want := AdditiveNoise{"n.csv", "", []*big.Rat{r("1/4"), r("1/2"), r("1/4")}, r("1/2"), r("1"), Lattice}
	if diff := cmp.Diff(want, e, compareRats); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	inline := want
	inline.File = ""
	if !Equal(want, inline) || Equal(want, AdditiveNoise{"n.csv", "", []*big.Rat{r("1/2"), r("0"), r("1/2")}, r("1/2"), r("1"), Lattice}) {
		t.Error("noise is not what is in its file")
	}
}

// TestNoiseIsOfItsFile: an event that states the hash of its file is an error with any other file, and only then.
func TestNoiseIsOfItsFile(t *testing.T) {
	const file, sum = "cell,probability\n0,1\n", "%x"
	hash := fmt.Sprintf(sum, sha256.Sum256([]byte(file)))
	event := func(masses, hash string) *document.Node {
		return parse(t, `{"class_name": "AdditiveNoiseEvent", "probabilities": `+masses+`, "sha256": "`+hash+`", "cell": 1, "sensitivity": 1, "kind": "lattice"}`)
	}
	decode := func(n *document.Node, file string) (Event, error) {
		return Decoder{Open: files(map[string]string{"n.csv": file})}.Event(n, "event")
	}
	for _, hash := range []string{hash, strings.ToUpper(hash)} {
		e, err := decode(event(`"n.csv"`, hash), file)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := decode(parse(t, string(EncodeEvent(e))), file); err != nil || !Equal(e, again) {
			t.Errorf("encoded: %s, %v", EncodeEvent(e), err)
		}
	}
	for _, other := range []string{"cell,probability\n0,1.0\n", "cell,probability\n0,1\n\n", "cell,probability\n-1,1/2\n0,0\n1,1/2\n"} {
		if _, err := decode(event(`"n.csv"`, hash), other); err == nil || !strings.Contains(err.Error(), "it is not the file that the event was written with") {
			t.Errorf("%q: %v", other, err)
		}
	}
	for _, n := range []*document.Node{event(`[1]`, hash), event(`"n.csv"`, hash[1:]), event(`"n.csv"`, "g"+hash[1:])} {
		if _, err := decode(n, file); err == nil || !strings.Contains(err.Error(), "sha256 = ") {
			t.Errorf("%s: %v", n.JSON(), err)
		}
	}
}

func TestNoiseErrors(t *testing.T) {
	for _, test := range []struct{ kind, file, want string }{
		{"density", "bin,probability\n0,1\n", "probabilities: n.csv:1: want the header cell,probability"},
		{"density", "cell,count\n0,1\n", "probabilities: n.csv:1: want the header cell,probability"},
		{"density", "cell,probability\n", "probabilities: n.csv: no cells"},
		{"density", "cell,probability\n-1,1/2\n1,1/2\n", "probabilities: n.csv:3: cell = 1, want the next one after -1: consecutive integers"},
		{"density", "cell,probability\n0,1/2\n0,1/2\n", "probabilities: n.csv:3: cell 0 is given twice, first on line 2"},
		{"density", "cell,probability\n0,1/2\n1,1/3\n", "sum(probabilities) = 5/6, want exactly 1"},
		{"density", "cell,probability\n0,-1/2\n1,1/3\n", "probabilities: n.csv:2: probability = -1/2, want a number >= 0"},
		{"density", "cell,probability\n0,1\n", "probabilities = a list of 1, want an even number of cells"},
		{"lattice", "cell,probability\n0,0.5\n1,0.5\n", "probabilities = a list of 2, want an odd number of points"},
		{"laplace", "cell,probability\n0,1\n", `kind = "laplace", want density or lattice`},
	} {
		_, err := decodeNoise(t, Decoder{}, test.kind, test.file)
		checkErrorText(t, err, "AdditiveNoiseEvent: "+test.want)
	}
	_, err := decodeNoise(t, Decoder{Binary64: true}, "lattice", "cell,probability\n0,0.7\n1,0.2\n2,0.1\n")
	if err == nil || !strings.Contains(err.Error(), "want exactly 1 (each number was rounded to binary64 first)") {
		t.Errorf("binary64: %v", err)
	}
}

func TestSymmetricFalling(t *testing.T) {
	for _, test := range []struct {
		weights            []int64
		symmetric, falling bool
	}{
		{[]int64{1, 1}, true, true},
		{[]int64{1, 2, 2, 1}, true, true},
		{[]int64{2, 1, 1, 2}, true, false},
		{[]int64{1, 2, 1, 1}, false, true},
		{[]int64{1, 2, 1, 2}, false, false},
		{[]int64{1}, true, true},
		{[]int64{1, 2, 1}, true, true},
		{[]int64{2, 1, 2}, true, false},
		{[]int64{1, 2, 2, 3, 2, 2, 1}, true, true},
		{[]int64{1, 2, 3, 2, 3, 2, 1}, true, false},
		{[]int64{1, 2, 3, 4, 3, 2, 0}, false, true},
	} {
		e := AdditiveNoise{Probabilities: weighted(test.weights)}
		if e.Symmetric() != test.symmetric || e.Falling() != test.falling {
			t.Errorf("%v: symmetric %v, falling %v", test.weights, e.Symmetric(), e.Falling())
		}
	}
}

func weighted(weights []int64) []*big.Rat {
	total := int64(0)
	for _, w := range weights {
		total += w
	}
	var out []*big.Rat
	for _, w := range weights {
		out = append(out, big.NewRat(w, total))
	}
	return out
}

// Shifted noise, against the distribution functions: P(X ≤ y) at every border, for either.
func TestShifted(t *testing.T) {
	e := AdditiveNoise{Probabilities: weighted([]int64{1, 3, 5, 2}), Cell: testkit.Rat("1/2"), Sensitivity: one, Kind: Density}
	// below returns the probability of noise, shifted by x, up to y, in cells from the left end.
	below := func(x, y *big.Rat) *big.Rat {
		z := new(big.Rat).Sub(y, x)
		total := new(big.Rat)
		for i, p := range e.Probabilities {
			part := new(big.Rat).Sub(z, big.NewRat(int64(i), 1))
			if part.Sign() < 0 {
				part.SetInt64(0)
			}
			if part.Cmp(one) > 0 {
				part.SetInt64(1)
			}
			total.Add(total, part.Mul(part, p))
		}
		return total
	}
	for _, text := range []string{"0", "1/2", "1", "1/3", "7/5", "2", "9/4", "1000"} {
		x := testkit.Rat(text)
		p, q := e.Shifted(x)
		steps := new(big.Rat).Quo(x, e.Cell)
		if text == "1000" {
			steps.SetInt64(int64(len(e.Probabilities))) // apart, and the way between is left out
		}
		part := new(big.Rat).Sub(steps, new(big.Rat).SetInt(new(big.Int).Quo(steps.Num(), steps.Denom())))
		sumP, sumQ := new(big.Rat), new(big.Rat)
		for i := range p {
			sumP.Add(sumP, p[i])
			sumQ.Add(sumQ, q[i])
			y := big.NewRat(int64(i+1), 1)
			if part.Sign() > 0 { // borders 0, θ, 1, 1 + θ, …
				y = new(big.Rat).Add(big.NewRat(int64(i/2), 1), part)
				if i%2 == 1 {
					y = big.NewRat(int64(i/2+1), 1)
				}
			}
			if sumP.Cmp(below(new(big.Rat), y)) != 0 || sumQ.Cmp(below(steps, y)) != 0 {
				t.Errorf("shift %s: %s and %s up to %s", text, sumP, sumQ, y)
			}
		}
		if sumP.Cmp(one) != 0 || sumQ.Cmp(one) != 0 {
			t.Errorf("shift %s: sums %s, %s", text, sumP, sumQ)
		}
	}
}
