// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ledger

import (
	"context"
	"math/big"

	"dpverify/ask"
	"dpverify/ask/calibrate"
	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/number"
)

// An Account is what was found about a ledger: one of Totals, Outcomes and Steps.
type Account struct {
	Question
	Of             Owner
	Epsilon, Delta *big.Rat // as far as they were given

	Totals   []ask.Answer       // of ε at Delta, or of δ at Epsilon
	Outcomes []*certify.Outcome // about the budget
	Left     *big.Rat           // beside them, nil if nothing is: an event that is (Left, 0)-DP keeps the budget, too
	Filter   *Filter            // with Steps
	Steps    []Step

	Next *Following // nil if nothing was asked
}

// What answers rest on.
const (
	FixedBeforehand = "These totals hold for events with parameters that were fixed beforehand, or at least not chosen " +
		"in view of outputs; --adaptive is for those that were."
)

// holds says for which events the answers hold.
func (a *Account) holds() string {
	if a.Filter == nil {
		return FixedBeforehand + a.Of.holds()
	}
	return "The accepted events together keep the budget, also if each was chosen in view of earlier outputs (" +
		a.Filter.Theorem() +
		"). The budget and the filter must have been fixed before the first event, and what is refused must not run." +
		a.Of.holds()
}

// quantity names what the totals are of, and where.
func (a *Account) quantity() (symbol, name, at string) {
	if a.Delta != nil {
		return "ε", "epsilon", number.Format(a.Delta)
	}
	return "δ", "delta", number.Format(a.Epsilon)
}

// Answer answers what the fields of an account ask: totals, whether the budget is kept, or what the filter
// says to each line; and what of t, if it is not nil, fits the budget after the ledger. With an
// error about ctx, the first lines are answered.
func (a *Account) Answer(ctx context.Context, t *calibrate.Template) (err error) {
	switch {
	case a.Filter != nil:
		a.Steps, err = Run(ctx, a.Question, a.Filter)
	case a.Epsilon == nil:
		a.Totals, err = Totals(ctx, a.Question, ask.Epsilon(a.Delta))
	case a.Delta == nil:
		a.Totals, err = Totals(ctx, a.Question, ask.Delta(a.Epsilon))
	default:
		a.Outcomes, err = Decide(ctx, a.Question, a.Epsilon, a.Delta)
		if n := len(a.Outcomes); err == nil && n > 0 && a.Outcomes[n-1].Verdict == certify.Verified {
			a.Left, err = a.left(ctx)
		}
	}
	if err != nil || t == nil {
		return err
	}
	a.Next, err = Next(ctx, a.Question, t, a.Epsilon, a.Delta)
	return err
}

// AnswerAll answers accounts one after the other while show tells of the lines, and returns the worst verdict. With an
// error about ctx, the first ones are answered.
func AnswerAll(ctx context.Context, accounts []Account, t *calibrate.Template,
	show func(string)) (certify.Verdict, error) {
	worst := certify.Verified
	for i := range accounts {
		a := &accounts[i]
		a.Progress = show
		if err := a.Answer(ctx, t); err != nil {
			return worst, err
		}
		worst = worse(worst, a.verdict())
	}
	return worst, nil
}

// worse is the worse of two verdicts.
func worse(a, b certify.Verdict) certify.Verdict {
	if a == certify.Verified || b == certify.Refuted {
		return b
	}
	return a
}

// verdict is the worst about any line: Refuted where the budget is exceeded or an event was refused.
func (a *Account) verdict() certify.Verdict {
	worst := certify.Verified
	for _, o := range a.Outcomes {
		worst = worse(worst, o.Verdict)
	}
	for _, s := range a.Steps {
		worst = worse(worst, map[Decision]certify.Verdict{Accepted: certify.Verified, Refused: certify.Refuted,
			Undecided: certify.Undecided}[s.Decision])
	}
	for _, t := range a.Totals {
		if !t.Found {
			worst = worse(worst, certify.Undecided)
		}
	}
	return worst
}

// left is an ε such that the lines and an event that is (left, 0)-DP keep the budget together: by basic composition, as
// the lines are (E − left, D)-DP. It is nil where none ≥ 0 is known.
func (a *Account) left(ctx context.Context) (*big.Rat, error) {
	answers, err := ask.Range(ctx, a.asked(), composed(a.Lines), a.goal(), ask.Epsilon(a.Delta))
	if err != nil {
		return nil, err
	}
	_, spent := ends(answers[0])
	if spent == nil || spent.Cmp(a.Epsilon) > 0 {
		return nil, nil
	}
	return new(big.Rat).Sub(a.Epsilon, spent), nil
}

// Split makes an account of each value of a key, in the order in which the lines have them; of everybody if there is no
// key. name is what errors call the file.
func (a Account) Split(by Key, name string) ([]Account, error) {
	if by == NoKey || len(a.Lines) == 0 {
		return []Account{a}, nil
	}
	var out []Account
	index := make(map[Owner]int)
	for _, l := range a.Lines {
		o := l.owner(by)
		if o.Name == "" {
			return nil, document.Locate(name, &document.FieldError{Problem: document.Missing, Field: string(by),
				Want: "a string, as every line has to say whose it is", Line: l.Number})
		}
		i, ok := index[o]
		if !ok {
			i = len(out)
			index[o] = i
			one := a
			one.Of, one.Lines = o, nil
			if a.Filter != nil {
				f := *a.Filter // which has spent nothing; its numbers are replaced and never changed
				one.Filter = &f
			}
			out = append(out, one)
		}
		out[i].Lines = append(out[i].Lines, l)
	}
	return out, nil
}

// OfLast keeps the account that has the last line of the file.
func OfLast(accounts []Account) []Account {
	last := 0
	for i, a := range accounts {
		if a.Lines[len(a.Lines)-1].Number > accounts[last].Lines[len(accounts[last].Lines)-1].Number {
			last = i
		}
	}
	return accounts[last : last+1]
}

// Run offers the lines to a filter, one after the other. With an error about ctx, the first lines are answered.
func Run(ctx context.Context, q Question, f *Filter) ([]Step, error) {
	var out []Step
	var accepted []Line
	refused := false
	for _, l := range q.Lines {
		q.progress(l)
		var s Step
		if f.Gaussian {
			s.Loss = gaussian(l.Events.LessPrivate)
			if s.Loss != nil {
				s.Decision = f.Take(s.Loss, s.Loss)
			}
		} else {
			answers, err := ask.Range(ctx, q.asked(), l.Events, q.goal(), ask.Renyi(f.Order))
			if err != nil {
				return out, err
			}
			s.Answer = answers[0]
			s.Decision = f.Take(ends(s.Answer))
		}
		s.Spent, s.Left = f.Spent, f.Left()
		switch {
		case s.Decision == Accepted:
			accepted = append(accepted, l)
		case s.Decision == Refused && !refused:
			s.Refusal, refused = q.refused(ctx, f, s, accepted, l), true
		}
		out = append(out, s)
	}
	return out, nil
}
