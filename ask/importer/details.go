// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"math/big"
	"regexp"
	"strings"
	"sync"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// detailed returns the claims that single lines of the details of a deployment make:
// that a stated ρ gives a stated (ε, δ), or stated Laplace noise a stated ε. A line counts
// if it gives each number once, in the form "ρ = 2.56". The note quotes it.
func detailed(details string) []Claim {
	var out []Claim
	for line := range strings.Lines(details) {
		text := strings.TrimPrefix(strings.Join(strings.Fields(line), " "), "- ")
		symbols := strings.Join(strings.Fields(latex.Replace(text)), " ")
		epsilon := stated(symbols, "ε", number.NonNegative)
		delta := stated(symbols, "δ", number.Probability)
		rho := stated(symbols, "ρ", number.NonNegative)
		sensitivity := stated(symbols, "sensitivity", number.NonNegative)
		scale := stated(symbols, "noise scale", number.NonNegative)
		var claim *Claim
		switch {
		case rho.value != nil && epsilon.value != nil && delta.value != nil:
			claim = concentrated(rho.value, epsilon, delta)
		case isLaplace(symbols) && epsilon.value != nil && !strings.Contains(symbols, "δ") &&
			sensitivity.value != nil && scale.value != nil && sensitivity.value.Sign() > 0 && scale.value.Sign() > 0:
			noise := new(big.Rat).Quo(scale.value, sensitivity.value)
			claim = &Claim{
				Event: mechanism.EncodeEvent(mechanism.Laplace{NoiseMultiplier: noise}),
				Claim: point{epsilon.String(), "0"},
			}
		default:
			continue
		}
		claim.Note = "read from the registry's words: " + strings.TrimRight(symbols, " .")
		out = append(out, *claim)
	}
	return out
}

// latex brings formulas into one spelling.
var latex = strings.NewReplacer(`\\(`, " ", `\\)`, " ", `\(`, " ", `\)`, " ", "$", " ", `\rho`, "ρ", `\varepsilon`, "ε",
	`\epsilon`, "ε", `\delta`, "δ", `\times`, "×", "\u2212", "-", "{", "", "}", "", "=", " = ")

// leading is a decimal, which may be a power of ten or times one, at the end of a line, or before what cannot make it
// another number, as "x 10^-5", "thousand" and "or 3" would: a point, a comma, a word that joins, or names in brackets.
var leading = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:(\d+(?:\.\d+)?) ?× ?)?10\^(-?\d+)|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?))` +
		`(?: ?[,;.)]*$| ?[,;.)]+ [^\d ]| (?:and|gives|implies|per|was|with|yields) [^\d ]|` +
		` \((?:sensitivity|noise scale|ρ|ε|δ) = )`)
})

// ends is a text after which a name is a name of its own.
var ends = regexp.MustCompile(`(?:^|[ (,;:])$`)

// stated returns the number that a line gives for a name, "name = number"; the name and the
// equation are in it exactly once, and the number is one on its own.
func stated(line, name string, in number.Domain) parameter {
	before, rest, ok := strings.Cut(line, name+" = ")
	if !ok || strings.Contains(rest, name+" = ") || !ends.MatchString(before) {
		return parameter{}
	}
	m := leading().FindStringSubmatch(rest)
	if m == nil {
		return parameter{}
	}
	text := m[3]
	switch {
	case m[1] != "":
		text = m[1] + "e" + m[2]
	case text == "":
		text = "1e" + m[2]
	}
	return newParameter(name, &document.Node{Kind: document.Number, Text: text}, in)
}

// isLaplace reports whether a line is about Laplace noise, and no other.
func isLaplace(line string) bool {
	line = strings.ToLower(line)
	for _, other := range []string{"discrete", "geometric", "gaussian", "truncated", "clamp", "l2", "l_2"} {
		if strings.Contains(line, other) {
			return false
		}
	}
	return strings.Count(line, "laplace") == 1
}
