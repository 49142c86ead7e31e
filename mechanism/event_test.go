// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"encoding/json"
	"math/big"
	"testing"

	"dpverify/internal/document"
	"dpverify/internal/testkit"
)

func TestEncodeEvent(t *testing.T) {
	r := func(s string) *big.Rat { return testkit.Rat(s) }
	tests := []struct {
		e    Event
		want string
	}{
		{NoOp{}, `{"class_name":"NoOpDpEvent"}`},
		{PoissonSampled{r("256/60000"), Gaussian{NoiseMultiplier: r("11/10")}}, `{"class_name":"PoissonSampledDpEvent","sampling_probability":"8/1875","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1.1"}}`},
		{SelfComposed{ZCDP{r("1/2"), r("0")}, 14062}, `{"class_name":"SelfComposedDpEvent","event":{"class_name":"ZCDpEvent","rho":"0.5","xi":"0"},"count":14062}`},
		{Composed{}, `{"class_name":"ComposedDpEvent","events":[]}`},
		{DiscreteGaussian{Sigma: r("1"), Sensitivity: r("2"), Dimension: 0}, `{"class_name":"DiscreteGaussianDpEvent","sigma":"1","sensitivity":"2","dimension":null}`},
		{DiscreteGaussian{Sigma: r("1"), Sensitivity: r("3/2"), Dimension: 7}, `{"class_name":"DiscreteGaussianDpEvent","sigma":"1","sensitivity":"1.5","dimension":7}`},
		{EpsilonDelta{r("4"), r("1/100000")}, `{"class_name":"EpsilonDeltaDpEvent","epsilon":"4","delta":"1e-5"}`},
		{FinitePair{[]*big.Rat{r("1/3"), r("2/3")}, []*big.Rat{r("0"), r("1")}}, `{"module_name":"dpverify","class_name":"FinitePairEvent","p":["1/3","2/3"],"q":["0","1"]}`},
		{HistogramPair{"a \"b\".csv", "ü.csv", nil, nil}, `{"module_name":"dpverify","class_name":"HistogramPairEvent","p":"a \"b\".csv","q":"ü.csv"}`},
		{Clamped{LaplaceNoise, r("0"), r("1"), r("2"), ShiftThenClamp}, `{"module_name":"dpverify","class_name":"ClampedLaplaceEvent","location":"0","scale":"1","shift":"2","order":"shift-then-clamp"}`},
		{DominatingPair{[]ProfilePoint{{r("-1"), r("1")}, {r("1"), r("1/4")}}}, `{"module_name":"dpverify","class_name":"DominatingPairEvent","profile":[["-1","1"],["1","0.25"]]}`},
		{Gaussian{}, `{"class_name":"GaussianDpEvent","noise_multiplier":null}`},
		{nil, `null`},
	}
	for _, test := range tests {
		if got := string(EncodeEvent(test.e)); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
		if got, err := json.Marshal(test.e); err != nil || string(got) != test.want {
			t.Errorf("json.Marshal: got %s, %v\nwant %s", got, err, test.want)
		}
	}
}

// TestNamesOfFilesAreJSON: a file may have any name.
func TestNamesOfFilesAreJSON(t *testing.T) {
	const name = "a\"\x01\u00e9\u2028.csv"
	for _, e := range []Event{HistogramPair{PathP: name, PathQ: "q"}, AdditiveNoise{File: name}, MatrixMechanism{Strategy: Strategy{File: name}}} {
		n, err := document.ParseJSON(EncodeEvent(e))
		if err != nil {
			t.Errorf("%s: %v", EncodeEvent(e), err)
			continue
		}
		field := map[string]string{"HistogramPairEvent": "p", "AdditiveNoiseEvent": "probabilities", "MatrixMechanismEvent": "strategy"}[e.ClassName()]
		if got := n.Get(field); got == nil || got.Text != name {
			t.Errorf("%s: %s = %v, want %q", e.ClassName(), field, got, name)
		}
	}
}

func TestEqual(t *testing.T) {
	p, q := []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2)}, []*big.Rat{big.NewRat(1, 1), new(big.Rat)}
	if !Equal(Gaussian{NoiseMultiplier: big.NewRat(2, 4)}, Gaussian{NoiseMultiplier: big.NewRat(1, 2)}) || Equal(Gaussian{NoiseMultiplier: one}, Laplace{one}) || Equal(Gaussian{NoiseMultiplier: one}, nil) {
		t.Error("Equal is wrong about simple events")
	}
	if !Equal(HistogramPair{"a", "b", p, q}, HistogramPair{"c", "d", p, q}) || Equal(HistogramPair{"a", "b", p, q}, HistogramPair{"a", "b", q, p}) {
		t.Error("Equal does not compare histograms by their masses")
	}
	if !Equal(SelfComposed{HistogramPair{"a", "b", p, q}, 2}, SelfComposed{FinitePair{p, q}, 2}) {
		t.Error("a histogram pair is not the finite pair of its masses")
	}
}

func TestValidate(t *testing.T) {
	half := big.NewRat(1, 2)
	for _, test := range []struct {
		e    Event
		want string
	}{
		{nil, "event = null, want a mapping with a class_name"},
		{Gaussian{}, "GaussianDpEvent: noise_multiplier = null, want a number > 0"},
		{Gaussian{NoiseMultiplier: big.NewRat(-1, 3)}, "GaussianDpEvent: noise_multiplier = -1/3, want > 0"},
		{SelfComposed{Gaussian{NoiseMultiplier: half}, 0}, "SelfComposedDpEvent: count = 0, want an integer in [1, 1000000000000]"},
		{Composed{[]Event{NoOp{}, nil}}, "event.events[1]: event = null, want a mapping with a class_name"},
		{HistogramPair{"p.csv", "q.csv", []*big.Rat{half}, []*big.Rat{half}}, "FinitePairEvent: sum(p) = 0.5, want exactly 1"},
		{Clamped{LaplaceNoise, half, half, half, 7}, `ClampedLaplaceEvent: order = "ClampOrder(7)", want clamp-then-shift or shift-then-clamp`},
	} {
		checkErrorText(t, Validate(test.e), test.want)
	}
	if err := Validate(Gaussian{NoiseMultiplier: half}); err != nil {
		t.Error(err)
	}
}
