// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"dpverify/exact/meaning"
	"dpverify/exact/method"
	"dpverify/exact/renyi"
)

// Renyi encloses the Rényi divergence of an order, in nats: the largest of the
// orientations of the question's direction and, for a guarantee, of the mechanisms that
// satisfy it. The error is about the question, as Prepare's, or about the order.
func Renyi(q Question, alpha renyi.Order, e Effort) (Result, error) {
	r := Result{Methods: []string{method.RenyiName}, Effort: e}
	if err := alpha.Check(); err != nil {
		return r, err
	}
	prob, err := meaning.Resolve(q.Event, q.Relation)
	if err != nil {
		return r, err
	}
	curve, err := renyi.NewCurve(prob, q.Direction)
	if err != nil {
		return r, err
	}
	r.Interval, r.Notes = curve.At(e.Bits(), alpha), curve.Notes
	if v, ok := curve.Rational(alpha); ok && !curve.Gap {
		r.Value = v
	}
	return r, nil
}
