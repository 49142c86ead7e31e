// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"slices"
	"strings"

	"dpverify/certify/mended"
	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/internal/show"
)

// Mended says what a refuted claim has to say to be true, in its own digits: each number alone, with the others as they
// are. It is empty where no number is enough, and for every other outcome.
func (o *Outcome) Mended() (out []mended.Number) {
	if o.Verdict != Refuted {
		return nil
	}
	in := mended.Format{Binary64: o.Claim.binary64}
	switch s := o.Claim.Statement.(type) {
	case Point:
		eps, delta := show.Cut(s.Written[0]), show.Cut(s.Written[1])
		least := o.Epsilon
		if s.Epsilon.Sign() >= 0 {
			least = o.LeastEpsilon()
		}
		return slices.Concat(in.Upper("ε", " at δ = "+delta, s.Written[0], least, nil),
			in.Upper("δ", " at ε = "+eps, s.Written[1], o.Delta, one))
	case Value:
		if s.Upper != nil {
			what, _, _ := strings.Cut(s.String(), " ≤")
			return in.Upper(what, "", s.written, o.Value, nil)
		}
	case Renyi:
		for _, b := range o.Renyi {
			if b.Divergence.LessEqRat(b.Value) == interval.False {
				out = append(out, in.Upper("R("+show.Cut(number.Format(b.Order))+")", "", number.Format(b.Value),
					&b.Divergence, nil)...)
			}
		}
		return out
	}
	return o.mended
}
