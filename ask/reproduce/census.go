// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask/reproduce/census"
	"dpverify/exact/interval"
	"dpverify/internal/figure"
)

func decennial() []Entry {
	all := &once[*census.Judgement]{f: census.Judge}
	of := func(f func(*census.Judgement) interval.Interval) Quantity {
		return measured(func(ctx context.Context) (interval.Interval, error) {
			j, err := all.get(ctx)
			if err != nil {
				return interval.Entire(), err
			}
			return f(j), nil
		})
	}
	beta := census.Published().Betas[census.Published().Least()]
	leastBeta := of(func(j *census.Judgement) interval.Interval { return j.LeastBeta })
	rows := census.Published().Rows
	first, last := rows[0].Epsilon, rows[len(rows)-1].Epsilon
	at := func(from, to int, eps *big.Rat) Quantity {
		return deltaAt(both(census.Pair{From: from, To: to}.Event()), eps)
	}
	greatest := of(func(j *census.Judgement) interval.Interval { return j.Greatest })
	second := of(func(j *census.Judgement) interval.Interval { return interval.Prec(128).Rat(j.Second) })
	least := of(func(j *census.Judgement) interval.Interval { return j.Least })
	over := of(func(j *census.Judgement) interval.Interval { return j.Over })
	under := of(func(j *census.Judgement) interval.Interval { return j.Under })
	above := of(func(j *census.Judgement) interval.Interval { return interval.Int(j.Above) })
	below := of(func(j *census.Judgement) interval.Interval { return interval.Int(j.Below) })
	betas := of(func(j *census.Judgement) interval.Interval { return interval.Int(j.Betas) })
	printed := constant(func(p interval.Prec) interval.Interval { return p.Rat(beta.Least) })
	negative := of(func(j *census.Judgement) interval.Interval { return interval.Int(j.Negative) })
	statements := []Statement{
		atMost("the greatest excess of a printed δ over δ, as a share of δ, of 39,732",
			"exact privacy accounting", greatest, "1e-30"),
		atLeast("the least second term e^ε·P of 39,732", "delta_fdp_second_term", second, "0"),
		atLeast("the least type II error of 852,346", "trade_off_beta", printed, "0"),
		atMost("middles of 43 trade-off curves, above them", "exact accounting", over, "1e-30"),
		atLeast("middles of 43 trade-off curves, below them", "exact accounting", under, "-1e-30"),
		prints("1 → 1: δ(8.671…)", at(1, 1, first), "0.0755692083994468737860109145389"),
		prints("1 → 1: δ(35.942…)", at(1, 1, last), "6.7534274967492563249993282358656681e-23"),
		prints("1 → 43: δ(35.942…)", at(1, 43, last), "1.5945481539092005204960465793022647e-22"),
		ours(atLeast("the least printed δ over δ", "", least, "0.999999999999999999999999999999")),
		shown("the type II error that is printed as the least one", leastBeta, "1.03e-36", "1.05e-36"),
		shown("type II errors that are printed below 0", betas, "5090", "5090"),
		shown("middles that are above by more than 1e-9", above, "18", "18"),
		shown("middles that are below by more than 1e-9", below, "25", "25"),
		shown("second terms below 0", negative, "931", "931"),
	}
	counts := []string{"1814", "1009", "1892", "2643", "5415", "5186", "5598", "4163", "5390", "4715", "1907"}
	for i, a := range census.Agreements {
		text := fmt.Sprintf("δ that are right to %d digits or more", a)
		switch {
		case a < 0:
			text = "δ that are more than twice what they should be"
		case i < len(census.Agreements)-1:
			text = fmt.Sprintf("δ that are right to %d digits and not to %d", a, census.Agreements[i+1])
		}
		count := of(func(j *census.Judgement) interval.Interval { return interval.Int(j.Count[a]) })
		statements = append(statements, shown(text, count, counts[i], counts[i]))
	}
	excess := Figure{Title: "How far the printed δ is from δ, as a share of δ", X: "ε", Y: "|printed − δ|/δ", LogY: true}
	for _, row := range rows {
		excess.At = append(excess.At, row.Epsilon)
	}
	for _, p := range []census.Pair{{From: 1, To: 1}, {From: 1, To: 43}, {From: 6, To: 10}} {
		excess.Curves = append(excess.Curves, Curve{p.String(), func(eps *big.Rat) Quantity {
			return of(func(j *census.Judgement) interval.Interval {
				for _, q := range j.Points {
					if q.Pair == p && q.Epsilon.Cmp(eps) == 0 {
						return q.Excess().Abs()
					}
				}
				panic("reproduce: internal error: no such point")
			})
		}, figure.Unknown})
	}
	return []Entry{{
		ID: "census-2020-curves", Statements: statements, Figures: []Figure{excess},
		Table: func(ctx context.Context) ([]byte, error) {
			j, err := all.get(ctx)
			if err != nil {
				return nil, err
			}
			return j.Table()
		},
	}}
}
