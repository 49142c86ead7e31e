// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shard

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/internal/document"
)

// A compared is an enclosure, and the least and the greatest number that are as claimed; nil is no limit.
type compared struct {
	field string
	*certify.Bounds
	least, most *big.Rat
}

// compare returns the enclosures of a result beside what its claim says of them. Every decided claim has all but that
// of the least ε, which is shown as 0 where it is below, and says nothing of a claimed ε below 0.
func compare(r certify.ClaimReport, c *certify.Claim) (all []compared) {
	switch s := c.Statement.(type) {
	case certify.Point:
		all = []compared{{"delta", r.Delta, nil, s.Delta}}
		if r.Epsilon != nil && s.Epsilon.Sign() >= 0 {
			all = append(all, compared{"epsilon", r.Epsilon, nil, s.Epsilon})
		}
	case certify.Value:
		least, most := s.Band()
		all = []compared{{"value", r.Value, least, most}}
	case certify.Renyi:
		for i, p := range s.Points {
			var b *certify.Bounds
			if i < len(r.Renyi) {
				b = &r.Renyi[i].Bounds
			}
			all = append(all, compared{fmt.Sprintf("renyi[%d]", i), b, nil, p.Value})
		}
	}
	return all
}

// holds says whether all numbers of the enclosure are as claimed, and fails whether none is. Ends are printed outward,
// so that what they show is so.
func (x compared) holds() bool {
	return (x.most == nil || decimal.Compare(x.Hi, x.most) <= 0) &&
		(x.least == nil || decimal.Compare(x.Lo, x.least) >= 0)
}

func (x compared) fails() bool {
	return x.most != nil && decimal.Compare(x.Lo, x.most) > 0 || x.least != nil && decimal.Compare(x.Hi, x.least) < 0
}

// contradiction is an error about another verdict that is expected than the claim says, about a verdict on a claim
// without a meaning, about a VERIFIED claim of which an enclosure fails, or a REFUTED one of which all hold, and about
// either without an enclosure: nothing has decided it.
func contradiction(r certify.ClaimReport, c *certify.Claim) error {
	wrong := func(format string, args ...any) error {
		return &document.FieldError{Field: "verdict", Value: string(r.Verdict), Want: fmt.Sprintf(format, args...)}
	}
	expected := certify.Verdict("")
	if r.Expect != nil {
		expected = *r.Expect
	}
	if expected != c.Expect {
		return &document.FieldError{Field: "expect", Value: cmp.Or(string(expected), "null"),
			Want: cmp.Or(string(c.Expect), "null") + ", as the claim has it"}
	}
	if c.Err != nil && r.Verdict != certify.Malformed {
		return wrong("%s: the claim has no meaning", certify.Malformed)
	}
	if r.Verdict != certify.Verified && r.Verdict != certify.Refuted {
		return nil
	}
	all := compare(r, c)
	if i := slices.IndexFunc(all, func(x compared) bool { return x.Bounds == nil }); i >= 0 {
		return wrong("one that takes no %s, which is not there", all[i].field)
	}
	i := slices.IndexFunc(all, compared.fails)
	switch {
	case r.Verdict == certify.Verified && i >= 0:
	case r.Verdict == certify.Refuted && len(all) > 0 &&
		!slices.ContainsFunc(all, func(x compared) bool { return !x.holds() }):
		i = 0
	default:
		return nil
	}
	return wrong("one that %s = [%s, %s] does not contradict, of %s", all[i].field, all[i].Lo, all[i].Hi, c.Statement)
}
