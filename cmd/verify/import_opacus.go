package main

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/document"
	"dpverify/mechanism"
)

func newImportOpacus() *cobra.Command {
	var epsilon, delta, id, derivation, output string
	c := &cobra.Command{
		Use:   "opacus FILE --epsilon E --delta D",
		Short: "The history of an accountant of Opacus: [(noise_multiplier, sample_rate, steps), …]",
		Long: `Turn the history of an accountant of Opacus into a claim. FILE holds the list
[(noise_multiplier, sample_rate, steps), …] as Python prints it or as JSON, or the
accountant's state_dict as JSON, {"history": …, "mechanism": …}; - is standard input.

In Python: json.dump(privacy_engine.accountant.history, open("history.json", "w"))`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			for _, f := range []struct {
				name, value string
				in          importDomain
			}{{"epsilon", epsilon, nonNegative}, {"delta", delta, probability}} {
				if f.value == "" {
					return fmt.Errorf("--%s is missing, want %s", f.name, f.in.want)
				}
				if x, err := mechanism.ParseNumber(f.value); err != nil || !f.in.contains(x) {
					return fmt.Errorf("--%s = %s, want %s", f.name, quote(f.value), f.in.want)
				}
			}
			claim, err := opacusClaim(c, args[0])
			if err != nil {
				return err
			}
			if id != "" {
				claim.ID = id
			}
			if derivation != "" {
				claim.Derivation = derivation
			}
			claim.Claim = pointClaim{epsilon, delta}
			return writeClaims(c.OutOrStdout(), output, []importedClaim{claim})
		},
	}
	fs := c.Flags()
	fs.StringVar(&epsilon, "epsilon", "", "the ε that is claimed")
	fs.StringVar(&delta, "delta", "", "the δ that is claimed")
	fs.StringVar(&id, "id", "", "id of the claim (default: the name of the file)")
	fs.StringVar(&derivation, "derivation", "", "how the claim was derived (default: that of the accountant, if the file names it)")
	fs.StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// opacusDerivations are the derivations of Opacus's accountants.
var opacusDerivations = map[string]string{"rdp": "rdp-cks", "gdp": "gdp-clt", "prv": "prv"}

// opacusClaim reads a history.
func opacusClaim(c *cobra.Command, file string) (importedClaim, error) {
	claim := importedClaim{ID: baseName(file), Source: "a history of Opacus"}
	// Python prints tuples in parentheses.
	n, name, err := readDocument(c, file, func(b []byte) []byte {
		return []byte(strings.NewReplacer("(", "[", ")", "]").Replace(string(b)))
	})
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
		return claim, at(name, n, "history is missing, want %s", want)
	case n.Kind == document.Mapping:
		n = n.Get("history")
	}
	if n.Kind != document.Sequence || len(n.Items) == 0 {
		return claim, at(name, n, "history = %s, want %s", shown(n), want)
	}
	var events []mechanism.Event
	for i, item := range n.Items {
		if item.Kind != document.Sequence || len(item.Items) != 3 {
			return claim, at(name, item, "history[%d] = %s, want [noise_multiplier, sample_rate, steps]", i, shown(item))
		}
		var x [3]*big.Rat
		for k, field := range []string{"noise_multiplier", "sample_rate", "steps"} {
			if x[k], err = (mechanism.Decoder{}).Number(item.Items[k], field); err != nil {
				return claim, at(name, item.Items[k], "history[%d]: %v", i, err)
			}
		}
		if !x[2].IsInt() || x[2].Sign() <= 0 || !x[2].Num().IsInt64() {
			return claim, at(name, item.Items[2], "history[%d]: steps = %s, want an integer >= 1", i, shorten(item.Items[2].Text))
		}
		if x[1].Sign() <= 0 || !probability.contains(x[1]) {
			return claim, at(name, item.Items[1], "history[%d]: sample_rate = %s, want a number in (0, 1]", i, shorten(item.Items[1].Text))
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
		return claim, at(name, n, "%v", err)
	}
	claim.Event = mechanism.EncodeEvent(event)
	return claim, nil
}
