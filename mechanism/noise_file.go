// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism

import (
	"fmt"
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/table"
)

// noiseFile is the format of a file of probabilities of consecutive cells.
var noiseFile = table.Format{Key: "cell", Least: -MaxCount, Most: MaxCount, Columns: []string{"probability"}}

// noise reads probabilities with sum exactly 1, a list or the path of a file with the header
// cell,probability, which is read once in a pass over a document.
func (r *reader) noise(field string) (path string, ps []*big.Rat) {
	const want = "a list of numbers >= 0, or the path of a CSV file"
	n := r.Required(field, want)
	switch {
	case r.Err != nil:
		return "", nil
	case n.Kind == document.Sequence:
		ps = r.numbers(field, number.NonNegative, unproved)
		r.sumsToOne(field, ps)
		return "", ps
	}
	path = r.Text(field, want)
	if r.Err != nil {
		return path, nil
	}
	return path, once(r, path, func() (ps []*big.Rat) {
		rows := r.table(field, path, noiseFile)
		for i, row := range rows {
			if i > 0 && row.Bin != rows[i-1].Bin+1 {
				r.Err = r.inFile(field, path, row.Line, fmt.Errorf("cell = %d, want the next one after %d: consecutive integers", row.Bin, rows[i-1].Bin))
				return nil
			}
			ps = append(ps, row.Mass)
		}
		if r.Err == nil && len(ps) == 0 {
			r.Err = r.inFile(field, path, 0, fmt.Errorf("no cells"))
		}
		r.sumsToOne(field, ps)
		return ps
	})
}
