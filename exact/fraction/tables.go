// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package fraction

import (
	_ "embed" // the tables
	"encoding/binary"
)

// tablesBin is tables.bin, which holds the words of the tables below in their order, least significant byte
// first, each number most significant word first and rounded down. TestTables computes it
// again by exact/kernel; with -update it writes it.
//
//go:embed tables.bin
var tablesBin []byte

var (
	// Ln2 is log 2, to 2^−256.
	Ln2      [4]uint64
	logIndex [256]uint64  // ⌊−256·log((i + 257)/512)⌋
	expTable [3][256]Frac // e^(i/2^8)/4 for i < expFirst, e^(i/2^16) − 1, e^(i/2^24) − 1

	// ExpSeries is e^u − 1.
	ExpSeries Series
	// LogSeries is −log(1 − u).
	LogSeries Series
)

// expFirst is the number of entries of the first of the tables of exp: log 2 + 2^−16 < expFirst/256.
const expFirst = 178

func init() {
	if rest := Read(tablesBin, forTables); len(rest) != 0 {
		panic("fraction: internal error: the length of tables.bin")
	}
}

// Read sets the words that are visited to those of b, in order, and returns what is left of b.
func Read(b []byte, words func(visit func(*uint64))) []byte {
	words(func(x *uint64) {
		*x = binary.LittleEndian.Uint64(b)
		b = b[8:]
	})
	return b
}

// forTables visits the words of all tables, in the order of tables.bin.
func forTables(visit func(*uint64)) {
	for i := range Ln2 {
		visit(&Ln2[i])
	}
	for i := range logIndex {
		visit(&logIndex[i])
	}
	for t := range expTable {
		for i := range expTable[t] {
			expTable[t][i].Words(visit)
		}
	}
	for _, s := range []*Series{&ExpSeries, &LogSeries} {
		for _, x := range []*uint64{&s.c3h, &s.c3l, &s.c4h, &s.c4l, &s.c5h, &s.c5l, &s.c6, &s.c7} {
			visit(x)
		}
	}
}

// Words visits the words of a number, most significant first.
func (f *Frac) Words(visit func(*uint64)) {
	visit(&f.Hi)
	visit(&f.Mi)
	visit(&f.Lo)
}
