// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"math/big"

	"dpverify/internal/document"
	"dpverify/internal/number"
)

// A parameter is one of the parameters that a deployment states. It is absent if it has
// neither a value nor a problem.
type parameter struct {
	value   *big.Rat
	null    bool
	problem error // why the text is not such a number
}

func (p parameter) String() string { return number.Format(p.value) }

// newParameter reads a parameter; n is nil where there is none.
func newParameter(key string, n *document.Node, in number.Domain) parameter {
	switch {
	case n == nil:
		return parameter{}
	case n.Kind == document.Null:
		return parameter{null: true}
	}
	var r document.Reader
	x := r.Number(key, n, in)
	return parameter{value: x, problem: r.Err}
}
