// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shard

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"dpverify/certify"
	"dpverify/internal/document"
	"dpverify/internal/prose"
	"dpverify/internal/show"
)

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
