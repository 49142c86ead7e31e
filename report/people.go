// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"html"
	"html/template"
	"regexp"
	"strings"
	"sync"
)

// scientific finds numbers with an exponent.
var scientific = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(\d+(?:\.\d+)?)e([+-]?\d+)\b`) })

// people escapes a text and writes its powers of ten as people do: 1.5e-7 is 1.5 × 10⁻⁷.
func people(text string) template.HTML {
	return template.HTML(scientific().ReplaceAllStringFunc(html.EscapeString(text), func(s string) string {
		mantissa, exponent, _ := strings.Cut(s, "e")
		power := "10<sup>" + strings.Replace(strings.TrimPrefix(exponent, "+"), "-", "−", 1) + "</sup>"
		if mantissa != "1" {
			power = mantissa + " × " + power
		}
		return `<span class="power">` + power + `</span>`
	}))
}

// A term is a word of the glossary.
type term struct{ Word, Means string }

// glossary has the words of a page about claims.
var glossary = []term{
	{"Differential privacy", "A promise about a program that releases something about a dataset: whatever it releases, it would have released with nearly the same probability if one record had been missing, or another one. So nobody can learn much about any one record from what is released."},
	{"ε (epsilon)", "How near “nearly” is: probabilities differ by a factor of at most e^ε. Less is more private; 0 reveals nothing, and for ε = 1 the factor is about 2.7, for ε = 5 about 148."},
	{"δ (delta)", "By how much the promise with ε may fail, as a probability. It should be much smaller than one divided by the number of records: with probability δ everything might be revealed."},
	{"δ(ε), the privacy profile", "The least δ with which the promise holds for this ε. It falls as ε grows; the graphs show it."},
	{"Least ε", "The smallest ε with which the promise holds at the claimed δ. A claim is true if its ε is at least that."},
	{"Verified", "The claim is true: it was proved for the mechanism as it is described."},
	{"Refuted", "The claim is false: it was proved that the mechanism as it is described, or some mechanism with the guarantee that is given, reveals more than is claimed."},
	{"Undecided", "Neither was proved in the time. It says nothing about the claim."},
	{"Malformed", "The claim cannot be read, or means nothing."},
	{"Stated", "The mechanism is described by nothing but the claim itself. There was nothing to test, and nothing was verified."},
	{"Enclosure", "Two numbers between which the true one provably lies. All rounding in the computation goes outward, away from the truth."},
	{"Neighbouring datasets", "Two datasets that differ in one record. How they may differ — a record more or less, or a record replaced — is a part of the claim, and named with it."},
	{"C, contribution", "The most that one record can add to what is computed, before noise. Noise is stated as a multiple of it."},
	{"Sequence of steps", "All steps see the same data, each may depend on what was released before, and all that they release counts together."},
	{"Derivation", "A formula or a method from the literature with which an ε is computed. Most give more than the least ε, which makes a claim weaker, not false. Where one is said to reproduce a number, the number is what it gives, rounded."},
	{"Guarantee", "A promise that stands in place of a mechanism: a claim about it is true if it holds for all mechanisms that keep the promise."},
	{"Method", "A way in which this program bounds δ(ε). All that apply are tried; each is proved, and their enclosures are intersected."},
}
