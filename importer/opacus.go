// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"math/big"
	"strings"

	"dpverify/document"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/number"
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
	const want = "[[noise_multiplier, sample_rate, steps], …]"
	switch {
	case n.Kind == document.Mapping && n.Get("history") == nil:
		return claim, src.fault(n, "history is missing, want %s", want)
	case n.Kind == document.Mapping:
		n = n.Get("history")
	}
	if n.Kind != document.Sequence || len(n.Items) == 0 {
		return claim, src.fault(n, "history = %s, want %s", document.Shown(n), want)
	}
	var events []mechanism.Event
	for i, item := range n.Items {
		if item.Kind != document.Sequence || len(item.Items) != 3 {
			return claim, src.fault(item, "history[%d] = %s, want [noise_multiplier, sample_rate, steps]", i, document.Shown(item))
		}
		var x [3]*big.Rat
		for k, field := range []string{"noise_multiplier", "sample_rate", "steps"} {
			if x[k], err = (mechanism.Decoder{}).Number(item.Items[k], field); err != nil {
				return claim, src.fault(item.Items[k], "history[%d]: %v", i, err)
			}
		}
		if !x[2].IsInt() || x[2].Sign() <= 0 || !x[2].Num().IsInt64() {
			return claim, src.fault(item.Items[2], "history[%d]: steps = %s, want an integer >= 1", i, show.Cut(item.Items[2].Text))
		}
		if x[1].Sign() <= 0 || !number.Probability.Contains(x[1]) {
			return claim, src.fault(item.Items[1], "history[%d]: sample_rate = %s, want a number in (0, 1]", i, show.Cut(item.Items[1].Text))
		}
		var e mechanism.Event = mechanism.Gaussian{NoiseMultiplier: x[0]}
		if x[1].Cmp(big.NewRat(1, 1)) != 0 {
			e = mechanism.PoissonSampled{SamplingProbability: x[1], Event: e}
		}
		events = append(events, mechanism.SelfComposed{Event: e, Count: x[2].Num().Int64()})
	}
	event := events[0]
	if len(events) > 1 {
		event = mechanism.Composed{Events: events}
	}
	if err := mechanism.Validate(event); err != nil {
		return claim, src.fault(n, "%v", err)
	}
	claim.Event = mechanism.EncodeEvent(event)
	return claim, nil
}
