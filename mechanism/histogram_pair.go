// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"math/big"

	"dpverify/internal/field"
	"dpverify/internal/show"
	"dpverify/internal/table"
)

// HistogramPair is a pair given by two CSV files with a header bin,count or
// bin,probability. P and Q are their columns, normalised exactly, over all bins
// of either file in increasing order; a bin that a file does not list is 0 there. A file has
// at most 64 MiB and MaxListLen bins.
type HistogramPair struct {
	PathP, PathQ string     // as written in the event
	P, Q         []*big.Rat // of equal length ≥ 1, elements ≥ 0, each with sum exactly 1
}

func (HistogramPair) ClassName() string              { return "HistogramPairEvent" }
func (e HistogramPair) MarshalJSON() ([]byte, error) { return EncodeEvent(e), nil }

func (e HistogramPair) describe() description {
	return description{
		value:   &e,
		about:   "P and Q from CSV files with a header bin,count or bin,probability.",
		bound:   "finite pair, exactly, from two CSV files",
		example: `"p":"p.csv","q":"q.csv"`,
		sentence: say("given by the histograms in %s and %s of its outputs with a record and without it",
			show.Name(e.PathP), show.Name(e.PathQ)),
		fields: []field.Field{
			histogramPath("p", &e.PathP),
			histogramPath("q", &e.PathQ),
			{Read: func(r *field.Reader) {
				p, q := readHistogram(r, "p", e.PathP), readHistogram(r, "q", e.PathQ)
				if r.Err == nil {
					e.P, e.Q = table.Align(p, q)
				}
			}},
		},
	}
}

func (e HistogramPair) contents() Event { return FinitePair{P: e.P, Q: e.Q} }

// histogramPath is a field with the path of a file. What is in it counts.
func histogramPath(name string, path *string) field.Field {
	return field.Field{
		Name: name, Schema: field.Known(`"type": "string", "minLength": 1`),
		Read:  func(r *field.Reader) { *path = r.Text(name, wantFile) },
		Write: func(w *field.Writer) { w.Text(name, *path) },
		Draw:  func(d *field.Drawing) { d.Failed = true },
	}
}

var histogramFile = table.Format{Key: "bin", Most: MaxCount, Columns: []string{"count", "probability"}}

const wantFile = "the path of a CSV file"

// readHistogram reads the file that a field names.
func readHistogram(r *field.Reader, name, path string) *table.Histogram {
	if r.Err != nil {
		return nil
	}
	return field.Once(r, path, func() *table.Histogram {
		rows, _ := r.Table(name, path, histogramFile)
		if r.Err != nil {
			return nil
		}
		h, err := table.Normalise(rows)
		if err != nil {
			r.Err = r.InFile(name, path, 0, err)
		}
		return h
	})
}
