// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"
)

// HistogramPair is a pair given by two CSV files with a header bin,count or
// bin,probability. P and Q are their columns, normalised exactly, over all bins
// of either file in increasing order; a bin that a file does not list is 0 there.
type HistogramPair struct {
	PathP, PathQ string     // as written in the event
	P, Q         []*big.Rat // of equal length ≥ 1, elements ≥ 0, each with sum exactly 1
}

// ClassName returns "HistogramPairEvent".
func (HistogramPair) ClassName() string { return "HistogramPairEvent" }
func (HistogramPair) isEvent()          {}

// MarshalJSON writes the event as EncodeEvent does.
func (e HistogramPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e HistogramPair) encodeFields(w *encoder) {
	w.text("p", e.PathP)
	w.text("q", e.PathQ)
}

func (e HistogramPair) contents() Event { return FinitePair{P: e.P, Q: e.Q} }

func (e HistogramPair) key(f *flattener) string {
	return fmt.Sprintf("HistogramPair %d %d", f.list(e.P), f.list(e.Q))
}

func decodeHistogramPair(r *reader) Event {
	e := HistogramPair{PathP: r.Text("p", wantFile), PathQ: r.Text("q", wantFile)}
	p, q := r.histogram("p", e.PathP), r.histogram("q", e.PathQ)
	if r.Err != nil {
		return nil
	}
	e.P, e.Q = align(p, q)
	return e
}

const wantFile = "the path of a CSV file"

// histogram reads the file that field names, or returns what was read before:
// one pass over a document sees one state of every file.
func (r *reader) histogram(field, path string) *histogram {
	if r.Err != nil {
		return nil
	}
	if h := r.s.histograms[path]; h != nil {
		return h
	}
	rows := r.table(field, path, histogramFile)
	if r.Err != nil {
		return nil
	}
	h, err := normalise(rows)
	if err != nil {
		r.Err = r.inFile(field, path, 0, err)
		return nil
	}
	r.s.histograms[path] = h
	return h
}

// align lists the masses of p and q over the bins of either.
func align(p, q *histogram) (ps, qs []*big.Rat) {
	zero := new(big.Rat)
	for i, j := 0, 0; i < len(p.bins) || j < len(q.bins); {
		a, b := zero, zero
		inP := j == len(q.bins) || i < len(p.bins) && p.bins[i] <= q.bins[j]
		inQ := i == len(p.bins) || j < len(q.bins) && q.bins[j] <= p.bins[i]
		if inP {
			a = p.masses[i]
			i++
		}
		if inQ {
			b = q.masses[j]
			j++
		}
		ps, qs = append(ps, a), append(qs, b)
	}
	return ps, qs
}
