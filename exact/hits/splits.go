// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"context"
	"sync"

	"dpverify/exact/interval"
	"dpverify/exact/inversion/remembered"
)

// Splits are steps by the transform of what is a hit, see split. They keep their lines, and may be used by several
// goroutines.
type Splits struct {
	Steps
	mu    sync.Mutex
	lines map[lineKey]*line
}

// A lineKey says for which precision a line is, and for which ε: those of a neighbourhood.
type lineKey struct {
	p      interval.Prec
	center int64
}

// Delta encloses δ(ε). It reports false where it has no line for it, or one that gives far fewer bits than p.
// An answer depends on the question alone, not on lines that others left.
func (x *Splits) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, bool, error) {
	const short = 4
	center, ok := x.neighbourhood(eps(coarse))
	if x.Kind == Added || !ok {
		return interval.Interval{}, false, nil
	}
	l, err := x.line(ctx, lineKey{p, center})
	if l == nil || err != nil {
		return interval.Interval{}, false, err
	}
	y, err := l.delta(ctx, eps)
	return (p + 8).Round(y), y.RelativeBits(int(p)) >= int(p)-short, err
}

// line returns the line of a key, or nil if there is none.
func (x *Splits) line(ctx context.Context, key lineKey) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return remembered.Of(&x.lines, key, 64, func() (*line, error) {
		if c, ok := x.chooseAt(key.p, key.center); ok {
			return x.newLine(ctx, c)
		}
		return nil, nil
	})
}
