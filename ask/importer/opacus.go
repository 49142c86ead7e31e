// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// opacusDerivations are the derivations of Opacus's accountants.
var opacusDerivations = map[string]string{"rdp": "rdp-cks", "gdp": "gdp-clt", "prv": "prv"}

// Opacus reads the history of an accountant of Opacus, the list [(noise_multiplier, sample_rate,
// steps), …] as Python prints it or as JSON, or its state_dict as JSON, {"history": …,
// "mechanism": …}. The claim is that the history gives (ε, δ), both as they are written.
func Opacus(src Source, epsilon, delta string) (Claim, error) {
	claim := Claim{ID: src.base(), Source: "a history of Opacus", Claim: point{epsilon, delta}}
	// Python prints tuples in parentheses.
	src.Data = []byte(strings.NewReplacer("(", "[", ")", "]").Replace(string(src.Data)))
	n, err := src.parse()
	if err != nil {
		return claim, err
	}
	if n.Kind == document.Mapping {
		if m := n.Get("mechanism"); m != nil {
			claim.Derivation = opacusDerivations[m.Text]
		}
	}
	event, err := opacusHistory(n)
	if err != nil {
		return claim, document.Locate(src.Name, err)
	}
	claim.Event = mechanism.EncodeEvent(event)
	return claim, nil
}

// opacusHistory returns the event of a history, or of a state_dict.
func opacusHistory(n *document.Node) (mechanism.Event, error) {
	const want = "[[noise_multiplier, sample_rate, steps], …]"
	r := document.Reader{Node: n}
	if n.Kind == document.Mapping {
		n = r.Required("history", want)
	}
	if r.Err == nil && (n.Kind != document.Sequence || len(n.Items) == 0) {
		r.Fail(r.Invalid("history", n, want))
	}
	if r.Err != nil {
		return nil, r.Err
	}
	var events []mechanism.Event
	for i, item := range n.Items {
		e, err := opacusSteps(item, fmt.Sprintf("history[%d]", i))
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	event := events[0]
	if len(events) > 1 {
		event = mechanism.Composed{Events: events}
	}
	err := mechanism.Validate(event)
	if p := new(mechanism.ParamError); errors.As(err, &p) && p.Line == 0 {
		p.Line = n.Line
	}
	return event, err
}

// sampleRates are the rates of a sample that is not empty for sure.
var sampleRates = number.Domain{Want: "in (0, 1]", Contains: func(x *big.Rat) bool {
	return x.Sign() > 0 && number.Probability.Contains(x)
}}

// opacusSteps returns the event of some steps, which errors call name.
func opacusSteps(n *document.Node, name string) (mechanism.Event, error) {
	r := document.Reader{Node: n, About: func(e *document.FieldError) error {
		e.Field = name + e.Field
		return e
	}}
	if n.Kind != document.Sequence || len(n.Items) != 3 {
		return nil, r.Invalid("", n, "[noise_multiplier, sample_rate, steps]")
	}
	noise := r.Number(": noise_multiplier", n.Items[0], number.Any)
	rate := r.Number(": sample_rate", n.Items[1], sampleRates)
	steps := r.IntegerOf(": steps", n.Items[2], 1, mechanism.MaxCount)
	if r.Err != nil {
		return nil, r.Err
	}
	var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: noise}
	if rate.Cmp(big.NewRat(1, 1)) != 0 {
		e = mechanism.PoissonSampled{SamplingProbability: rate, Event: e}
	}
	return mechanism.SelfComposed{Event: e, Count: steps}, nil
}
