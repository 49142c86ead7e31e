// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"fmt"
	"math/big"

	"dpverify/document"
	"dpverify/mechanism"
	"dpverify/number"
)

// A parameter is one of the parameters that a deployment states. It is absent if it has
// neither a value nor a problem.
type parameter struct {
	value   *big.Rat
	null    bool
	problem string // why the text is not such a number
	node    *document.Node
}

func (p parameter) String() string { return number.Format(p.value) }

// newParameter reads a parameter; n is nil where there is none.
func newParameter(key string, n *document.Node, in number.Domain) parameter {
	switch {
	case n == nil:
		return parameter{}
	case n.Kind == document.Null:
		return parameter{null: true}
	case n.Kind == document.Number || n.Kind == document.String:
		if x, err := (mechanism.Decoder{}).Number(n, key); err == nil && in.Contains(x) {
			return parameter{value: x}
		}
	}
	return parameter{problem: fmt.Sprintf("%s = %s, want %s", key, document.Shown(n), in), node: n}
}
