// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// Outcomes is the profile Σ(p − e^ε·q)₊ of outcomes, plus what left-out ones of mass rest may add.
func Outcomes(os []pair.Outcome, rest interval.Interval) Func {
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		w := p + 32
		alpha := w.Exp(eps(w))
		sum := interval.Union(interval.Int(0), rest)
		for i, o := range os {
			if i%1024 == 0 {
				if err := ctx.Err(); err != nil {
					return Unit(), err
				}
			}
			if o.P.IsZero() {
				continue
			}
			d := w.Sub(o.P, w.Mul(alpha, o.Q))
			if d.Negative() == interval.True {
				continue
			}
			sum = w.Add(sum, interval.Max(interval.Int(0), d))
		}
		return clamp(interval.Min(p.Round(sum), interval.Int(1))), nil
	}
}

// Merged puts outcomes of equal losses together, with masses of w bits: an output that says which of them it was says
// no more of the data.
func Merged(w interval.Prec, os []pair.Outcome) (out []pair.Outcome) {
	at := make(map[string]int, len(os))
	for _, o := range os {
		if o.Exact && !o.P.IsZero() && !o.Q.IsZero() {
			key := o.Loss.String()
			if i, ok := at[key]; ok {
				out[i].P, out[i].Q = w.Add(out[i].P, o.P), w.Add(out[i].Q, o.Q)
				continue
			}
			at[key] = len(out)
		}
		out = append(out, o)
	}
	return out
}
