// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/table"
)

// HistogramPair is a pair given by two CSV files with a header bin,count or
// bin,probability. P and Q are their columns, normalised exactly, over all bins
// of either file in increasing order; a bin that a file does not list is 0 there.
type HistogramPair struct {
	PathP, PathQ string     // as written in the event
	P, Q         []*big.Rat // of equal length ≥ 1, elements ≥ 0, each with sum exactly 1
}

func (HistogramPair) ClassName() string              { return "HistogramPairEvent" }
func (e HistogramPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e HistogramPair) encodeFields(w *encoder) {
	w.Text("p", e.PathP)
	w.Text("q", e.PathQ)
}

func (e HistogramPair) contents() Event { return FinitePair{P: e.P, Q: e.Q} }

func decodeHistogramPair(r *reader) Event {
	e := HistogramPair{PathP: r.Text("p", wantFile), PathQ: r.Text("q", wantFile)}
	p, q := r.histogram("p", e.PathP), r.histogram("q", e.PathQ)
	if r.Err != nil {
		return nil
	}
	e.P, e.Q = table.Align(p, q)
	return e
}

var histogramFile = table.Format{Key: "bin", Most: MaxCount, Columns: []string{"count", "probability"}}

const wantFile = "the path of a CSV file"

// histogram reads the file that field names.
func (r *reader) histogram(field, path string) *table.Histogram {
	if r.Err != nil {
		return nil
	}
	return once(r, path, func() *table.Histogram {
		rows, _ := r.table(field, path, histogramFile)
		if r.Err != nil {
			return nil
		}
		h, err := table.Normalise(rows)
		if err != nil {
			r.Err = r.inFile(field, path, 0, err)
		}
		return h
	})
}
