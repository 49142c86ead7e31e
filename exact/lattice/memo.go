// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package lattice

import (
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/pair"
)

// A Memo keeps the inversions of products for questions that are about the same δ. The zero value is ready for use,
// also by several goroutines.
type Memo struct {
	mu    sync.Mutex
	known map[string]known
}

type known struct {
	inversion *Inversion // nil if there is none
	serves    map[asked]bool
}

type asked struct {
	prec  interval.Prec
	scale int
}

// Of returns the inversion of a product, nil if there is none, and whether it serves: see Serves.
//
// A shared memo, which is one for all calls, is for questions that are answered in any order: which nodes an answer is
// a sum of depends on its own question. Parameters are rounded so far that most questions about a product have the
// same.
func (m *Memo) Of(prod pair.Product, p interval.Prec, scale int, shared bool) (x *Inversion, serves bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := prod.String()
	y, ok := m.known[key]
	if !ok {
		y.serves = make(map[asked]bool)
		if x, ok := New(prod); ok {
			x.shared, y.inversion = shared, x
		}
		if m.known == nil || shared && m.nodes() > maxShared {
			m.known = make(map[string]known)
		}
		m.known[key] = y
	}
	if y.inversion == nil {
		return nil, false
	}
	serves, ok = y.serves[asked{p, scale}]
	if !ok {
		serves = y.inversion.Serves(p, scale)
		y.serves[asked{p, scale}] = serves
	}
	return y.inversion, serves
}

const (
	// maxShared bounds the nodes that are kept when a product is added to those that are shared.
	maxShared = 1 << 18
	// productNodes are as large as a product.
	productNodes = 256
)

// nodes is how many nodes are kept.
func (m *Memo) nodes() (n int) {
	for _, y := range m.known {
		if n += productNodes; y.inversion != nil {
			n += y.inversion.size()
		}
	}
	return n
}
