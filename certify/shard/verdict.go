// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shard

import (
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

// compare returns the enclosures of a result beside what its claim says of them.
func compare(r certify.ClaimReport, c *certify.Claim) (all []compared) {
	switch s := c.Statement.(type) {
	case certify.Point:
		all = []compared{{"delta", r.Delta, nil, s.Delta}, {"epsilon", r.Epsilon, nil, s.Epsilon}}
	case certify.Value:
		least, most := s.Band()
		all = []compared{{"value", r.Value, least, most}}
	case certify.Renyi:
		for i := range min(len(r.Renyi), len(s.Points)) {
			all = append(all, compared{fmt.Sprintf("renyi[%d]", i), &r.Renyi[i].Bounds, nil, s.Points[i].Value})
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

// contradiction is an error about a VERIFIED claim of which an enclosure fails, or a REFUTED one of which all hold.
func contradiction(r certify.ClaimReport, c *certify.Claim) error {
	all := slices.DeleteFunc(compare(r, c), func(x compared) bool { return x.Bounds == nil })
	i := slices.IndexFunc(all, compared.fails)
	switch {
	case r.Verdict == certify.Verified && i >= 0:
	case r.Verdict == certify.Refuted && len(all) > 0 &&
		!slices.ContainsFunc(all, func(x compared) bool { return !x.holds() }):
		i = 0
	default:
		return nil
	}
	return &document.FieldError{Field: "verdict", Value: string(r.Verdict),
		Want: fmt.Sprintf("one that %s = [%s, %s] does not contradict, of %s", all[i].field, all[i].Lo, all[i].Hi,
			c.Statement)}
}
