package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/exact"
)

// A question is a list of values of one quantity.
type question struct {
	name   string // delta or epsilon
	symbol string // δ or ε
	at     []string
	qs     []quantity
}

// ask answers a question of the command line.
func ask(c *cobra.Command, r request, q question, asJSON bool) error {
	p := newProgress(c.ErrOrStderr(), -1)
	answers, err := climb(c.Context(), r.Question, q.qs, r.goal, func(e exact.Effort, _ int) { p.describe(fmt.Sprintf("effort %d", e)) })
	p.close()
	if answers == nil {
		return err
	}
	printed := printAnswersText
	if asJSON {
		printed = printAnswersJSON
	}
	if err := printed(c.OutOrStdout(), q, answers, r.digits); err != nil {
		return err
	}
	if err != nil {
		return errInterrupted
	}
	return nil
}

func printAnswersText(w io.Writer, q question, answers []answer, digits int) error {
	var b strings.Builder
	for i, a := range answers {
		lo, hi := a.Decimal(digits)
		fmt.Fprintf(&b, "%s(%s) %s   (%s)\n", q.symbol, q.at[i], member(lo, hi), cmp.Or(strings.Join(a.Methods, ", "), "no method"))
		if !a.complete {
			b.WriteString(paragraph("  ", fmt.Sprintf("wider than the %d digits wanted: %s", digits, a.reason)))
		}
		for _, n := range a.Notes {
			b.WriteString(paragraph("  ", "note: "+n))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// An answerReport is an answer in JSON.
type answerReport struct {
	Quantity string       `json:"quantity"`
	At       string       `json:"at"`
	Lo       string       `json:"lo"`
	Hi       string       `json:"hi"`
	Methods  []string     `json:"methods"`
	Effort   exact.Effort `json:"effort"`
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason,omitempty"`
	Notes    []string     `json:"notes,omitempty"`
}

func printAnswersJSON(w io.Writer, q question, answers []answer, digits int) error {
	out := struct {
		Version int            `json:"version"`
		Answers []answerReport `json:"answers"`
	}{Version: 1}
	for i, a := range answers {
		lo, hi := a.Decimal(digits)
		r := answerReport{q.name, q.at[i], lo, hi, a.Methods, a.Effort, a.complete, a.reason, a.Notes}
		if r.Methods == nil {
			r.Methods = []string{}
		}
		out.Answers = append(out.Answers, r)
	}
	return writeJSON(w, out)
}

// writeJSON writes v as indented JSON.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
