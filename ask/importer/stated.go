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

// statedParameters are the parameters that a deployment states.
type statedParameters struct {
	epsilon, delta, rho parameter
	unknown             error // a key that is none of these, and may be meant as one
}

func newStatedParameters(n *document.Node) statedParameters {
	var r document.Reader
	if n != nil && n.Kind == document.Mapping {
		r.Node = n
		r.Known([]string{"epsilon", "delta", "rho"}, "epsilon, delta or rho")
	}
	return statedParameters{
		unknown: r.Err,
		epsilon: newParameter("epsilon", n.Get("epsilon"), number.NonNegative),
		delta:   newParameter("delta", n.Get("delta"), number.Probability),
		rho:     newParameter("rho", n.Get("rho"), number.NonNegative),
	}
}

const (
	statedOnly = "the registry describes the mechanism in words: the event is the stated guarantee; put the mechanism " +
		"in its place to test the claim"
	statedBoth = "the registry states both: the event is the stated ρ-zCDP, the claim the stated (ε, δ)"
)

// claim returns the claim that the parameters make, notes for it, and what could not be read.
// It is nil if they make none. A δ that is not stated is 0; one that cannot be read is not, nor is one beside a key
// that is not known.
func (s statedParameters) claim() (claim *Claim, notes []string, problems []error) {
	for _, p := range []parameter{s.rho, s.epsilon, s.delta} {
		if p.problem != nil {
			problems = append(problems, p.problem)
			notes = append(notes, p.problem.Error()+" in the registry: not read")
		}
	}
	if s.unknown != nil {
		problems = append(problems, s.unknown)
		notes = append(notes, s.unknown.Error()+" in the registry: not read")
	}
	pair := s.epsilon.value != nil && s.delta.problem == nil && (s.unknown == nil || s.delta.value != nil)
	if pair && s.delta.value == nil {
		what := "no delta is stated"
		if s.delta.null {
			what = "delta is null in the registry"
		}
		s.delta.value = new(big.Rat)
		notes = append(notes, what+": read as 0, pure differential privacy")
	}
	switch {
	case s.rho.value != nil && pair && s.delta.value.Sign() > 0:
		return concentrated(s.rho.value, s.epsilon, s.delta), append(notes, statedBoth), problems
	case s.rho.value != nil:
		if pair {
			notes = append(notes[:len(notes)-1:len(notes)-1],
				"epsilon = "+s.epsilon.String()+" is stated without a positive delta, and left out here")
		}
		return &Claim{
			Event: mechanism.EncodeEvent(mechanism.ZCDP{Rho: s.rho.value, Xi: new(big.Rat)}),
			Claim: map[string]string{"rho": s.rho.String()},
		}, append(notes, statedOnly), problems
	case pair:
		return &Claim{
			Event: mechanism.EncodeEvent(mechanism.EpsilonDelta{Epsilon: s.epsilon.value, Delta: s.delta.value}),
			Claim: point{s.epsilon.String(), s.delta.String()},
		}, append(notes, statedOnly), problems
	}
	return nil, nil, problems
}

// concentrated is the claim that ρ-zCDP gives (ε, δ).
func concentrated(rho *big.Rat, epsilon, delta parameter) *Claim {
	return &Claim{
		Event:      mechanism.EncodeEvent(mechanism.ZCDP{Rho: rho, Xi: new(big.Rat)}),
		Claim:      point{epsilon.String(), delta.String()},
		Derivation: "zcdp-cks",
	}
}

// A parameter is one of the parameters that a deployment states. It is absent if it has
// neither a value nor a problem.
type parameter struct {
	value   *big.Rat
	null    bool
	problem error // why the text is not such a number
}

func (p parameter) String() string { return number.Format(p.value) }

// newParameter reads a parameter; n is nil where there is none.
func newParameter(key string, n *document.Node, in number.Domain) parameter {
	switch {
	case n == nil:
		return parameter{}
	case n.Kind == document.Null:
		return parameter{null: true}
	}
	var r document.Reader
	x := r.Number(key, n, in)
	return parameter{value: x, problem: r.Err}
}

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
