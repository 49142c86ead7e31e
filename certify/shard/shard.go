// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package shard divides the claims of a run among several processes, and puts their reports together.
package shard

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/internal/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

// A Shard is one of Of shares of all claims, numbered from 1. The zero Shard is all of them.
type Shard struct{ K, Of int }

// Parse reads k/n, 1 ≤ k ≤ n. 0/n is n/n, for jobs that are counted from 0.
func Parse(s string) (Shard, error) {
	k, n, ok := strings.Cut(s, "/")
	var out Shard
	var errK, errN error
	out.K, errK = strconv.Atoi(k)
	out.Of, errN = strconv.Atoi(n)
	if !ok || errK != nil || errN != nil || out.K < 0 || out.K > out.Of || out.Of < 1 {
		return Shard{}, fmt.Errorf("a shard k/n with 1 <= k <= n, such as 2/8, or 0/8 for 8/8")
	}
	if out.K == 0 {
		out.K = out.Of
	}
	return out, nil
}

// Has reports whether a claim is in the shard. That depends on its id alone, so that a claim
// stays where it is when others come and go; a claim without an id goes by its place.
func (s Shard) Has(c *certify.Claim) bool {
	if s.Of <= 1 {
		return true
	}
	key := c.ID
	if key == "" {
		key = fmt.Sprintf("\x00%s:%d", c.File, c.Line)
	}
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.K-1)
}

// Select returns the claims of the shard, in their order.
func (s Shard) Select(claims []*certify.Claim) []*certify.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c *certify.Claim) bool { return !s.Has(c) })
}

// place is what tells the claims of several files apart. Two malformed claims without an id
// may share a line.
type place struct {
	file, id string
	line     int
}

// A Part is the report of a shard, and what errors call it.
type Part struct {
	Name string
	certify.Report
}

// maxPartBytes bounds a file of results: a million claims are some 600 MB.
const maxPartBytes = 2 << 30

// ReadPart reads the result of a shard.
func ReadPart(ctx context.Context, name string) (Part, error) {
	data, err := document.FileContents(ctx, name, maxPartBytes)
	if err != nil {
		return Part{}, err
	}
	r, err := certify.ReadReport(name, data)
	return Part{Name: name, Report: r}, err
}

// Merge puts the reports of shards together. A claim that several parts have, as where a worker
// was started twice, is one claim: all have to say the same of it.
//
// Where claims is not nil, the result has exactly these claims, in their order: it is then what
// one run about all of them gives, and one that is missing, too many, of a claim that has changed since, or with a
// verdict that its enclosures contradict is an error.
// Otherwise the order is by files, lines and ids.
func Merge(parts []Part, claims []*certify.Claim) (certify.Report, error) {
	type entry struct {
		certify.ClaimReport
		part string
		text []byte
	}
	found := make(map[place][]entry) // of a place, the claims of one part
	for _, p := range parts {
		mine := make(map[place][]entry)
		for _, c := range p.Claims {
			text, err := document.Indented(c)
			if err != nil {
				return certify.Report{}, err
			}
			at := place{c.File, c.ID, c.Line}
			mine[at] = append(mine[at], entry{c, p.Name, text})
		}
		for at, es := range mine {
			before, ok := found[at]
			if !ok {
				found[at] = es
				continue
			}
			if !slices.EqualFunc(before, es, func(a, b entry) bool { return bytes.Equal(a.text, b.text) }) {
				return certify.Report{}, fmt.Errorf("claim %s of %s:%d: %s and %s say different things of it",
					show.Name(at.id), show.Name(at.file), at.line, show.Name(before[0].part), show.Name(p.Name))
			}
		}
	}
	out := certify.NewReport(nil)
	if claims == nil {
		for _, es := range found {
			for _, e := range es {
				out.Claims = append(out.Claims, e.ClaimReport)
			}
		}
		slices.SortStableFunc(out.Claims, func(a, b certify.ClaimReport) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
		})
		return out, nil
	}
	var missing, other, earlier []string
	for _, c := range claims {
		at := place{c.File, c.ID, c.Line}
		es := found[at]
		if len(es) == 0 {
			missing = append(missing, describe(at))
			continue
		}
		if !es[0].IsOf(c) {
			earlier = append(earlier, describe(at))
		} else if err := contradiction(es[0].ClaimReport, c); err != nil {
			return certify.Report{}, fmt.Errorf("%s: claim %s of %s:%d: %w", show.Name(es[0].part), show.Name(at.id),
				show.Name(at.file), at.line, err)
		}
		out.Claims = append(out.Claims, es[0].ClaimReport)
		found[at] = es[1:]
	}
	for at, es := range found {
		if len(es) > 0 {
			other = append(other, describe(at))
		}
	}
	slices.Sort(other)
	switch {
	case len(missing) > 0:
		return certify.Report{}, fmt.Errorf("%d of %d claims have no result: %s", len(missing), len(claims),
			prose.Few(missing, mostNamed))
	case len(earlier) > 0:
		return certify.Report{}, fmt.Errorf("%d results are not of the claims as they are now: %s", len(earlier),
			prose.Few(earlier, mostNamed))
	case len(other) > 0:
		return certify.Report{}, fmt.Errorf("%d results are of other claims: %s", len(other), prose.Few(other, mostNamed))
	}
	return out, nil
}

func describe(at place) string {
	if at.id == "" {
		return fmt.Sprintf("%s:%d", show.Name(at.file), at.line)
	}
	return show.Name(show.Cut(at.id))
}

// mostNamed is how many claims an error names.
const mostNamed = 5

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
