// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"context"
	"fmt"
	"io"
	"math/big"

	"dpverify/exact"
	"dpverify/exact/domination"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/guard"
	"dpverify/internal/number"
	"dpverify/internal/pldfile"
	"dpverify/internal/prose"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Dominated is the claim that a privacy-loss distribution dominates the event at all ε ≥ 0.
type Dominated struct {
	PLD    string             // the path of the serialised distribution
	Losses *domination.Losses // what it holds
}

func (s Dominated) String() string { return "dominated by " + show.Name(show.Cut(s.PLD)) }

var dominatedForm = form{
	keys: []string{"pld"}, want: "{pld: file}",
	decode: func(d *claimDecoder, fields ...*document.Node) Statement {
		n := fields[0]
		if n.Kind != document.String {
			d.Fail(d.Invalid("claim.pld", n, "the path of a file"))
			return nil
		}
		path := n.Text
		s := Dominated{PLD: path}
		if d.dec.Open == nil {
			d.Fail(d.Invalid("claim.pld", n, "a claim that names no file"))
			return s
		}
		dist, err := readLosses(d.dec.Open, path)
		if err != nil {
			d.Fail(d.in(fmt.Errorf("claim.pld: %s: %w", show.Name(show.Cut(path)), err), n.Line))
			return s
		}
		s.Losses = newLosses(dist)
		return s
	},
}

func (s Dominated) check() error { return nil }

func (s Dominated) restates(property) bool { return false }

// decide compares the profiles at all ε ≥ 0. The claim is true if it is for the least private
// event, and false if it is for the most private one.
func (s Dominated) decide(out decision) error {
	c, limited := out.Claim, out.limited
	if s.Losses == nil {
		out.Reason = "the distribution is not known"
		return checkEvent(c)
	}
	more, less := out.questions()
	return out.ladder(exact.MaxEffort).Climb(limited, func(e exact.Effort) (bool, error) {
		d, err := dominated(limited, less, *s.Losses, e)
		if err == nil && d.Holds == interval.False && !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
			if d, err = dominated(limited, more, *s.Losses, e); err == nil && d.Holds == interval.True {
				out.Reason = splitReason
				return true, nil
			}
		}
		if err != nil {
			return false, err
		}
		out.Domination, out.Methods, out.Effort = &d, d.Methods, e
		eps := prose.Short(d.Eps)
		switch d.Holds {
		case interval.True:
			out.Verdict, out.Reason = Verified, ""
			out.Notes = []string{dominationNote,
				fmt.Sprintf("δ was enclosed at %d ε; the least margin seen is at ε = %s: %s", d.Points, eps, d)}
			return true, nil
		case interval.False:
			out.Verdict, out.Reason = Refuted, ""
			out.Notes = []string{dominationNote, fmt.Sprintf("the worst ε is %s: %s", eps, d)}
			return true, nil
		}
		out.Reason = fmt.Sprintf("at effort %d it cannot be told at ε = %s: %s", e, eps, d)
		return false, nil
	})
}

// report adds where the distribution is worst.
func (s Dominated) report(r *ClaimReport, o *Outcome) {
	r.Domination = newDominationReport(o.Domination)
}

func readLosses(open func(string) (io.ReadCloser, error), path string) (*pldfile.Distribution, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, pldfile.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	return pldfile.Parse(data)
}

// newLosses takes the numbers of a file as what they are, exactly.
func newLosses(d *pldfile.Distribution) *domination.Losses {
	return &domination.Losses{
		Interval: new(big.Rat).SetFloat64(d.Interval),
		MinKey:   int64(d.MinKey),
		Count:    len(d.Masses),
		Mass:     func(i int) *big.Float { return new(big.Float).SetFloat64(d.Masses[i]) },
		Infinite: new(big.Float).SetFloat64(d.Infinite),
	}
}

// dominationNote says what a claim {pld} means.
const dominationNote = "decided for all ε ≥ 0 at once, in the direction asked; a composition of distributions needs " +
	"all real ε"

func dominated(ctx context.Context, q exact.Question, l domination.Losses, e exact.Effort) (domination.Result, error) {
	return guard.Within(ctx, func(ctx context.Context) (domination.Result, error) {
		p, err := exact.Prepare(ctx, q, e)
		if err != nil {
			return domination.Result{}, err
		}
		return domination.Decide(ctx, p, e, l)
	})
}

func newDominationReport(d *domination.Result) *DominationReport {
	if d == nil || d.Eps == nil {
		return nil
	}
	r := &DominationReport{Epsilon: number.Format(d.Eps), Points: d.Points}
	r.Delta.Lo, r.Delta.Hi = d.Event.Decimal(reportDigits)
	r.Bound.Lo, r.Bound.Hi = d.Bound.Decimal(reportDigits)
	return r
}
