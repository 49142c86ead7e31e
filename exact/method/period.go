// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/lattice"
	"dpverify/exact/pair"
)

// servedBits are as many as no other method has of a product for which a sum has no more: 12 digits.
const servedBits = 40

// latticeInversion returns the inversion of a product on the lattice of its losses, and whether it takes the place of
// other methods: where it serves, but for methods that are to answer by themselves.
func (s *Solver) latticeInversion(prod pair.Product) (*lattice.Inversion, bool) {
	if s == nil || s.Alone {
		return nil, false
	}
	return s.onLattice(prod)
}

// onLattice returns the inversion of a product on the lattice of its losses, and whether it serves.
func (s *Solver) onLattice(prod pair.Product) (x *lattice.Inversion, serves bool) {
	if s.Memo == nil {
		return s.lattices.Of(prod, servedBits, s.scale, false)
	}
	return s.Memo.lattices.Of(prod, servedBits, s.scale, true)
}
