// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"context"
	"fmt"
	"html/template"
	"math/big"
	"slices"
	"strings"
	"time"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// A Derived is the ε that a derivation gives at the δ of a claim.
type Derived struct {
	derive.Method
	Value      exact.Enclosure
	Lo, Hi     string
	Holds      interval.Truth // that it is at most the claimed ε
	Reproduces interval.Truth // that the claimed ε is this number, rounded
	Rounding   derive.Rounding
}

// derivations returns what all derivations that are tried give that apply to the event of a claim,
// however it was derived. A claim about a range of parameters has none.
func derivations(ctx context.Context, c *certify.Claim, s certify.Point, tried func(derive.Method) bool) []Derived {
	if !mechanism.Equal(c.MorePrivate, c.LessPrivate) || s.Epsilon.Sign() < 0 {
		return nil
	}
	q := derive.Question{Question: exact.Question{Event: c.LessPrivate, Relation: c.Relation, Direction: c.Direction},
		Orders: c.Orders, RealOrders: c.RealOrders, Published: s.Epsilon, Written: s.Written[0]}
	var out []Derived
	for _, m := range derive.Methods {
		if m.Least || !tried(m) {
			continue
		}
		r, err := guard.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			return m.Epsilon(ctx, q, s.Delta)
		})
		if err != nil || r.Lo().IsInf() {
			continue // it does not apply, gives nothing, or takes too long
		}
		e := r.OrZero()
		d := Derived{Method: m, Value: e, Holds: e.LessEqRat(s.Epsilon)}
		d.Reproduces, d.Rounding = derive.Reproduces(e, s.Epsilon, s.Written[0])
		d.Lo, d.Hi = decimal.Separating(e, s.Epsilon, fewDigits)
		out = append(out, d)
	}
	return out
}

// A derivedView is a derivation as a page shows it.
type derivedView struct {
	Name, Source string
	Epsilon      template.HTML
	Says         string
	Reproduces   bool
}

// derivedViews are derivations by how near they are to the least ε, where that is known.
func derivedViews(ds []Derived, least *exact.Enclosure) []derivedView {
	if least != nil && least.IsFinite() {
		ds = slices.Clone(ds)
		slices.SortStableFunc(ds, func(a, b Derived) int { return a.away(*least).Cmp(b.away(*least)) })
	}
	var out []derivedView
	for _, d := range ds {
		v := derivedView{Name: d.Name, Source: d.Source, Epsilon: people(amount(d.Lo, d.Hi)),
			Reproduces: d.Reproduces == interval.True}
		says := []string{d.against(least)}
		switch {
		case v.Reproduces && d.Rounding == derive.NotRounded:
			says = append(says, "is the claimed number")
		case v.Reproduces:
			says = append(says, "is the claimed number, rounded ("+string(d.Rounding)+")")
		case !d.Bound:
		case d.Holds == interval.True:
			says = append(says, "proves the claim")
		case d.Holds != interval.False:
			says = append(says, "open beside what is claimed")
		}
		if !d.Bound {
			says = append(says, "an approximation, no bound")
		}
		v.Says = strings.Join(slices.DeleteFunc(says, func(s string) bool { return s == "" }), "; ")
		out = append(out, v)
	}
	return out
}

// away is at most the distance of what a derivation gives from the least ε.
func (d Derived) away(least exact.Enclosure) *big.Float {
	const p = interval.Prec(64)
	return p.Sub(d.Value.Interval, least.Interval).Abs().Lo()
}

// against says by how much a derivation gives more than the least ε, or less.
func (d Derived) against(least *exact.Enclosure) string {
	const p = interval.Prec(64)
	if least == nil || least.Positive() != interval.True || !least.IsFinite() || !d.Value.IsFinite() {
		return ""
	}
	share := p.Mul(p.Div(p.Sub(d.Value.Interval, least.Interval), least.Interval), interval.Int(100))
	switch {
	case share.LessRat(big.NewRat(-1, 1000)) == interval.True:
		return prose.About(share.Neg()) + " % below the truth"
	case share.LessRat(big.NewRat(1, 1000)) == interval.True:
		return "the truth, but for less than 0.001 %"
	case share.LessRat(big.NewRat(1000, 1)) == interval.True:
		return prose.About(share) + " % more"
	}
	return prose.About(p.Div(d.Value.Interval, least.Interval)) + " times as much"
}

// follows says which derivations give the claimed number.
func follows(ds []Derived) string {
	var names []string
	for _, d := range ds {
		if d.Reproduces == interval.True {
			names = append(names, d.Name+" ("+d.Source+")")
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "The claimed number is what one derivation gives: " + names[0] + "."
	}
	return "The claimed number is what these derivations give: " + strings.Join(names, ", ") + "."
}

// amount is a number for people.
func amount(lo, hi string) string {
	switch {
	case lo == hi:
		return "= " + prose.Readable(lo)
	case hi == "inf":
		return "≥ " + prose.Readable(lo)
	}
	return prose.Readable(lo) + " to " + prose.Readable(hi)
}

// fewDigits is how many digits a number for people has, or more where a verdict needs them.
const fewDigits = 4

// derivationTexts says which ε the stated derivation gives.
func derivationTexts(d *certify.Derivation) []string {
	if d.Epsilon == nil {
		return []string{fmt.Sprintf("derivation %s is not modelled: %s", show.Name(show.Cut(d.Name)), d.NotModelled)}
	}
	line := fmt.Sprintf("derivation %s gives ε %s: ", d.Name, prose.Member(decimal.Separating(*d.Epsilon, d.Claimed,
		textDigits)))
	switch {
	case d.Reproduces == interval.True && d.Rounding == derive.NotRounded:
		line += "the claim exactly"
	case d.Reproduces == interval.True:
		line += "the claim, rounded (" + string(d.Rounding) + ")"
	case d.Implies == interval.True:
		line += "it implies the claim"
	case d.Implies == interval.False:
		line += "it does not yield the claim"
	default:
		line += "open whether it yields the claim"
	}
	if d.Reproduces != interval.True && d.Digits > 0 {
		line += "; they agree to " + prose.Many(d.Digits, "digit", "digits")
	}
	texts := []string{line}
	if d.Note != "" {
		texts = append(texts, "  "+d.Note)
	}
	return texts
}

// divergenceLines says what the divergences of a claim about them are.
func divergenceLines(bounds []certify.DivergenceBound) []string {
	var lines []string
	for _, b := range bounds {
		lines = append(lines, fmt.Sprintf("R(%s) %s, claimed %s", number.Format(b.Order),
			prose.Member(decimal.Separating(b.Divergence, b.Value, textDigits)), number.Format(b.Value)))
	}
	return lines
}

// slackText says by how much the claimed ε is too large, or too small.
func slackText(o *certify.Outcome) string {
	d, ok := o.Slack()
	if !ok {
		return ""
	}
	word := "overstated"
	if o.Verdict == certify.Refuted {
		word = "understated"
	}
	switch {
	case d.IsZero() && o.Epsilon.Hi().Sign() < 0:
		// The least ε is shown as 0 where it is below.
		return "this δ holds at some ε < 0, too"
	case d.IsZero():
		return "the claim is tight"
	case d.Lo().IsInf():
		return "no ε is enough"
	case d.Hi().IsInf():
		lo, _ := o.Epsilon.Decimal(3)
		return "no ε below " + prose.Readable(lo) + " is enough"
	}
	const p = interval.Prec(64)
	text := word + " by " + prose.About(d)
	if e := o.LeastEpsilon().Interval; e.Positive() == interval.True {
		text += " (" + prose.About(p.Mul(p.Div(d, e), interval.Int(100))) + " %)"
	}
	return text
}

// Unasked says which derivations give the number of a decided claim that states none, prove it, or nearly do; "" if
// there is nothing to say. All are tried but searches, which take more time than the claim, in at most a quarter of the
// budget, as a stated one is. Of a verified claim that is one of many, only formulas are tried: many are verified, and
// few are refuted.
func Unasked(ctx context.Context, c *certify.Claim, v certify.Verdict, budget time.Duration, many bool) string {
	s, ok := c.Statement.(certify.Point)
	if !ok || c.Derivation != "" || s.Epsilon.Sign() == 0 || v != certify.Verified && v != certify.Refuted {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, budget/4)
	defer cancel()
	tried := func(m derive.Method) bool { return m.Formula || !m.Search && (!many || v == certify.Refuted) }
	return inOneLine(derivations(ctx, c, s, tried), s)
}

// someDigits is how many digits the ε of a derivation has in a remark, and mostNamed how many derivations are named.
const (
	someDigits = 6
	mostNamed  = 3
)

// inOneLine says which derivations give the claimed number, to three digits at least; which others prove the claim, the
// least ε first; and if none does, what the nearest one proves. An approximation is named only if it gives the number.
func inOneLine(ds []Derived, s certify.Point) string {
	slices.SortStableFunc(ds, func(a, b Derived) int { return a.Value.Hi().Cmp(b.Value.Hi()) })
	var gives, proves []string
	nearest, proved := "", false
	for _, d := range ds {
		_, hi := decimal.Separating(d.Value, s.Epsilon, someDigits)
		number := d.Name + " (" + prose.Readable(hi)
		agree, _ := derive.AgreeingDigits(d.Value.Interval, s.Epsilon, s.Written[0])
		same := d.Reproduces == interval.True && (agree > 2 || d.Rounding == derive.NotRounded)
		if d.Bound && nearest == "" && d.Value.IsFinite() {
			nearest = d.Name + ", proves ε = " + prose.Readable(hi)
		}
		proved = proved || d.Bound && d.Holds == interval.True
		switch {
		case same:
			if d.Rounding != derive.NotRounded {
				number += ", rounded"
			}
			if !d.Bound {
				number += ", no bound"
			}
			gives = append(gives, number+")")
		case d.Bound && d.Holds == interval.True:
			proves = append(proves, number+")")
		}
	}
	var parts []string
	if len(gives) > 0 {
		parts = append(parts, "the claimed number comes from "+some(gives))
	}
	if len(proves) > 0 {
		parts = append(parts, "the claim is proved by "+some(proves))
	}
	if !proved && nearest != "" {
		parts = append(parts, "none proves the claim; the nearest, "+nearest)
	}
	if len(parts) == 0 {
		return ""
	}
	return "derivations for comparison: " + strings.Join(parts, "; ")
}

// some joins names, and counts those beyond the first few.
func some(names []string) string {
	if n := len(names) - mostNamed; n > 0 {
		names = append(names[:mostNamed:mostNamed], fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
