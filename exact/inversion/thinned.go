// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package inversion

import (
	"context"
	"fmt"
	"math/bits"

	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
)

// thinned returns the transform without rare outcomes, of a mass of at most 2^−lost in all. It is nil if there is none
// to leave out.
func (x *Transform) thinned(lost int) *Transform {
	if y, known := x.thin[lost]; known {
		return y
	}
	y := &Transform{memo: x.memo, name: fmt.Sprint(x.name, " but ", lost)}
	any := false
	for _, t := range x.terms {
		share := lost + bits.Len64(uint64(t.count)) + bits.Len(uint(len(x.terms)))
		if m, ok := plain(t.f).(*mixture); ok {
			if thin, ok := m.thin(share); ok {
				any = true
				if k, ok := t.f.(keptFactor); ok {
					t.f = keptFactor{thin, k.memo, memoKey{pair: fmt.Sprint(k.key.pair, " but ", share)}}
				} else {
					t.f = thin
				}
			}
		}
		y.terms = append(y.terms, t)
	}
	y.falls, y.limited, _ = y.decays()
	if !any || !y.falls {
		y = nil
	} else {
		y.quantum, y.inWords = y.chooseQuantum(), true
	}
	const maxThinned = 16
	remembered.Put(&x.thin, lost, y, maxThinned)
	return y
}

// throughThinned encloses δ(ε) without outcomes of a mass of 2^−lost, with lost such that it has p bits or little less.
func (x *Transform) throughThinned(
	ctx context.Context, p interval.Prec, lost int, whole bool, eps interval.Real,
) (d interval.Interval, err error) {
	for range 3 {
		x.mu.Lock()
		y := x.thinned(lost)
		x.mu.Unlock()
		if d, err = y.delta(ctx, p, whole, eps); err != nil {
			return d, err
		}
		short := int(p) - d.RelativeBits(int(p))
		if short <= 2 || d.Hi().Sign() == 0 {
			break
		}
		lost += (min(short, 128) + 4 + 15) / 16 * 16
	}
	return d, nil
}
