// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/certify/derive"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/figure"
	"dpverify/internal/atomicfile"
	"dpverify/internal/prose"
	"dpverify/internal/terminal"
	"dpverify/mechanism"
	"dpverify/number"
)

// compareDigits is the accuracy of a comparison.
const compareDigits = 6

func newCompare() *cobra.Command {
	var f askFlags
	var format, deltaText, epsText, output string
	c := &cobra.Command{
		Use:   "compare {--delta D | --epsilon E} EVENT",
		Short: "Compare what accounting methods say of one mechanism: their ε at δ, or δ at ε",
		Long: `Print the least ε of a mechanism at δ, and the ε that each accounting method derives
for it: what the method costs. With --epsilon, the same for δ at ε. Rényi accountants are
asked at the orders of TensorFlow Privacy and Opacus, and for ε at all real orders.
"docs/format.md" describes the methods.

` + askHelp,
		Example: `  verify compare --delta 1e-5 '{class_name: SelfComposedDpEvent, count: 100, event: {class_name: LaplaceDpEvent, noise_multiplier: 20}}'
  verify compare --epsilon 2 --format json event.json
  verify compare --delta 1e-5 --output methods.svg event.json`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			if (deltaText == "") == (epsText == "") {
				return errors.New("--delta or --epsilon is missing, want one of the two, a number >= 0")
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			v := comparison{event: r.Event, measure: epsilonAtDelta, text: deltaText}
			if epsText != "" {
				v.measure, v.text = deltaAtEpsilon, epsText
			}
			if v.at, err = parseNumber(v.over.flag, v.text, r.binary64); err == nil && v.at.Sign() < 0 {
				err = fmt.Errorf("--%s = %s, want a number >= 0", v.over.flag, number.Format(v.at))
			}
			if err != nil {
				return err
			}
			var drawn string
			if output != "" {
				if drawn, err = figureFormat(output); err != nil {
					return err
				}
			}
			if err := v.compute(c, r); err != nil {
				return err
			}
			print := printComparisonText
			if asJSON {
				print = printComparisonJSON
			}
			if err := print(c.OutOrStdout(), v, r.Digits); err != nil || drawn == "" {
				return err
			}
			return v.draw(output, drawn)
		},
	}
	c.Flags().StringVar(&deltaText, "delta", "", "the δ at which ε is compared")
	c.Flags().StringVar(&epsText, "epsilon", "", "the ε in nats at which δ is compared")
	c.Flags().StringVarP(&output, "output", "o", "", "also draw the comparison into a file: .svg, .png or .pdf")
	registerFormat(c, &format)
	f.register(c, compareDigits)
	return c
}

// A side of a privacy profile: ε or δ.
type side struct{ flag, symbol, unit string }

var (
	epsilonSide = side{"epsilon", "ε", " (nats)"}
	deltaSide   = side{"delta", "δ", ""}
)

// A measure is what is compared: one side of a profile, at a value of the other.
type measure struct {
	of, over side
	quantity func(at *big.Rat) ask.Quantity
	derive   func(m derive.Method, ctx context.Context, q derive.Question, at *big.Rat) (derive.Result, error)
}

var (
	epsilonAtDelta = measure{epsilonSide, deltaSide, ask.Epsilon, derive.Method.Epsilon}
	deltaAtEpsilon = measure{deltaSide, epsilonSide, ask.Delta, derive.Method.Delta}
)

// A comparison is the least ε at a δ, or δ at an ε, and what methods make of it.
type comparison struct {
	measure
	event mechanism.Event
	at    *big.Rat
	text  string // at, as given
	least ask.Answer
	rows  []comparedMethod
}

// A comparedMethod is what one method derives.
type comparedMethod struct {
	derive.Method
	real   bool            // over all real orders
	value  exact.Enclosure // what is derived
	note   string
	reason string // why there is no value
}

func (m comparedMethod) name() string {
	if m.real {
		return m.Name + ", real orders"
	}
	return m.Name
}

// compute computes the least value and what the methods derive.
func (v *comparison) compute(c *cobra.Command, r request) error {
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	defer p.Close()
	r.Progress = func(e exact.Effort, _ int) { p.Describe(fmt.Sprintf("the least %s at effort %d", v.of.symbol, e)) }
	answers, err := ask.Range(c.Context(), r.Question, r.events, r.Goal, v.quantity(v.at))
	if answers == nil {
		return err
	}
	v.least = answers[0]
	v.rows = comparedMethods()
	limited, cancel := r.Limit(c.Context())
	defer cancel()
	if err := deriveAll(limited, v.rows, func(m *comparedMethod, ctx context.Context) error {
		p.Describe(m.name())
		return v.deriveBy(ctx, m, r.Question, r.events)
	}); err != nil {
		return err
	}
	if c.Context().Err() != nil {
		return errInterrupted
	}
	return nil
}

// comparedMethods lists what is compared, in the order of the output.
func comparedMethods() []comparedMethod {
	var rows []comparedMethod
	for _, m := range derive.Methods {
		if m.Least {
			continue
		}
		rows = append(rows, comparedMethod{Method: m})
		if m.Orders {
			rows = append(rows, comparedMethod{Method: m, real: true})
		}
	}
	return rows
}

// deriveAll derives all rows, the cheap ones first. Each has an equal share of the time that is
// left, so that a slow one does not use up that of the later ones.
func deriveAll(ctx context.Context, rows []comparedMethod, derive func(*comparedMethod, context.Context) error) error {
	var byCost []*comparedMethod
	for i := range rows {
		byCost = append(byCost, &rows[i])
	}
	slices.SortStableFunc(byCost, func(a, b *comparedMethod) int { return cmp.Compare(a.cost(), b.cost()) })
	for i, m := range byCost {
		share, cancel := ctx, context.CancelFunc(func() {})
		if end, ok := ctx.Deadline(); ok {
			share, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(len(byCost)-i))
		}
		err := derive(m, share)
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// cost ranks what a row takes: a formula, or the curve at listed orders, or at many.
func (m *comparedMethod) cost() int {
	switch {
	case m.Formula:
		return 0
	case m.real:
		return 2
	}
	return 1
}

// deriveBy asks a method for all events of a range. What it does not model, and what takes
// too long, is a reason; the error is a fault of the question or a bug.
func (v *comparison) deriveBy(ctx context.Context, m *comparedMethod, q exact.Question, events mechanism.Range) error {
	at := func(e mechanism.Event) (derive.Result, error) {
		return ask.Within(ctx, func(ctx context.Context) (derive.Result, error) {
			q.Event = e
			return v.derive(m.Method, ctx, derive.Question{Question: q, RealOrders: m.real}, v.at)
		})
	}
	y, err := at(events.LessPrivate)
	if err == nil && len(events.Rounded) > 0 {
		var other derive.Result
		other, err = at(events.MorePrivate)
		y.Enclosure = y.Union(other.Enclosure)
	}
	var not derive.NotModelledError
	switch {
	case errors.As(err, &not):
		m.reason = string(not)
	case ctx.Err() != nil:
		m.reason = "not reached in time"
	case err != nil:
		return err
	default:
		m.value, m.note = y.Enclosure, y.Note
	}
	return nil
}

// excess encloses by how many per cent the derived value exceeds the least one; negative, it
// is no bound at all.
func (m comparedMethod) excess(least ask.Answer) (interval.Interval, bool) {
	const p = interval.Prec(64)
	if m.reason != "" || !m.value.IsFinite() || !least.IsFinite() || least.Positive() != interval.True {
		return interval.Interval{}, false
	}
	d := p.Div(p.Sub(m.value.Interval, least.Interval), least.Interval)
	return p.Mul(d, interval.Int(100)), true
}

func printComparisonText(w io.Writer, v comparison, digits int) error {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "method\t%s at %s = %s\tagainst it\tremarks\n", v.of.symbol, v.over.symbol, v.text)
	lo, hi := v.least.Decimal(digits)
	remark := strings.Join(v.least.Methods, ", ")
	if !v.least.Complete() {
		remark = v.least.Reason()
	}
	fmt.Fprintf(t, "least %s\t%s\t\t%s\n", v.of.symbol, prose.Range(lo, hi), remark)
	var missing []string
	for _, m := range v.rows {
		if m.reason != "" {
			if !m.real {
				missing = append(missing, m.Name+": "+m.reason)
			}
			continue
		}
		lo, hi := m.value.Decimal(digits)
		over := ""
		if d, ok := m.excess(v.least); ok {
			over = inWords(d)
		}
		remark := m.note
		if !m.Bound {
			remark = strings.TrimPrefix(remark+"; not a bound", "; ")
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", m.name(), prose.Range(lo, hi), over, remark)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "\nnot modelled for this mechanism\n")
		for _, s := range missing {
			b.WriteString(prose.Paragraph("  ", s))
		}
	}
	for _, n := range v.least.Notes {
		b.WriteString(prose.Paragraph("", "note: "+n))
	}
	// The last column leaves blanks behind where it is empty.
	var out strings.Builder
	for line := range strings.Lines(b.String()) {
		out.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// inWords writes an excess in a few digits.
func inWords(d interval.Interval) string {
	switch {
	case d.Negative() == interval.True:
		return prose.About(d.Neg()) + " % less"
	case d.Positive() == interval.True:
		return prose.About(d) + " % more"
	}
	return "the same"
}

// draw draws the comparison into a file.
func (v comparison) draw(output, format string) error {
	written := func(e exact.Enclosure) string {
		_, hi := e.Decimal(4)
		return prose.Readable(hi)
	}
	b := figure.Bars{
		Title: prose.Title(v.event),
		X:     v.of.symbol + v.of.unit + " at " + v.over.symbol + " = " + v.text,
		Bars:  []figure.Bar{{Name: "least " + v.of.symbol, Value: v.least.Hi(), Text: written(v.least.Enclosure), Measure: true}},
	}
	for _, m := range v.rows {
		if m.reason != "" {
			continue
		}
		name := m.name()
		if !m.Bound {
			name += " (not a bound)"
		}
		b.Bars = append(b.Bars, figure.Bar{Name: name, Value: m.value.Hi(), Text: written(m.value), Hollow: !m.Bound})
	}
	var out bytes.Buffer
	if err := b.Write(&out, format); err != nil {
		return fmt.Errorf("there is nothing to draw: no %s is finite and above 0", v.of.symbol)
	}
	return atomicfile.Write(output, out.Bytes())
}

// A comparisonReport is a comparison in JSON.
type comparisonReport struct {
	Version int             `json:"version"`
	Delta   string          `json:"delta,omitempty"`
	Epsilon string          `json:"epsilon,omitempty"` // one of the two: where the other is compared
	Least   answerReport    `json:"least"`
	Methods []comparedEntry `json:"methods"`
}

type comparedEntry struct {
	Name       string  `json:"name"`
	RealOrders bool    `json:"real_orders"`
	Source     string  `json:"source"`
	Bound      bool    `json:"bound"`
	Lo         *string `json:"lo"`
	Hi         *string `json:"hi"`
	Reason     string  `json:"reason,omitempty"`
	Note       string  `json:"note,omitempty"`
}

func printComparisonJSON(w io.Writer, v comparison, digits int) error {
	lo, hi := v.least.Decimal(digits)
	a := v.least
	out := comparisonReport{Version: 1, Least: answerReport{v.of.flag, v.text, lo, hi, a.Methods, a.Effort, a.Complete(), a.Reason(), a.Notes}}
	if v.over == deltaSide {
		out.Delta = v.text
	} else {
		out.Epsilon = v.text
	}
	for _, m := range v.rows {
		e := comparedEntry{Name: m.Name, RealOrders: m.real, Source: m.Source, Bound: m.Bound, Reason: m.reason, Note: m.note}
		if m.reason == "" {
			lo, hi := m.value.Decimal(digits)
			e.Lo, e.Hi = &lo, &hi
		}
		out.Methods = append(out.Methods, e)
	}
	return writeJSON(w, out)
}
