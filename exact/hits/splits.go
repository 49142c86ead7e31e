// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package hits

import (
	"context"
	"math"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// Splits are steps by the transform of what is a hit, see split. They keep their lines, and may be used by several
// goroutines.
type Splits struct {
	Steps
	mu    sync.Mutex
	lines map[lineKey]*line
}

// A lineKey says for which precision a line is, and for which ε: those that are rounded to center.
type lineKey struct {
	p      interval.Prec
	center int64
}

// Delta encloses δ(ε). It reports false where it has no line for it, or one that gives far fewer bits than p.
// An answer depends on the question alone, not on lines that others left.
func (x *Splits) Delta(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, bool, error) {
	const short = 4
	unit := math.Exp2(math.Floor(math.Log2(math.Sqrt(near(x.Mu2)) / 2)))
	center := math.Round(double.Of(eps(coarse)).Mid() / unit)
	if x.Kind == Added || !(math.Abs(center) < 1<<40) {
		return interval.Interval{}, false, nil
	}
	l, err := x.line(ctx, lineKey{p, int64(center)}, unit)
	if l == nil || err != nil {
		return interval.Interval{}, false, err
	}
	y, err := l.delta(ctx, eps)
	return (p + 8).Round(y), y.RelativeBits(int(p)) >= int(p)-short, err
}

// line returns the line of a key, or nil. It is chosen by what profile says of δ, and by what a first one says.
func (x *Splits) line(ctx context.Context, key lineKey, unit float64) (*line, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if l, known := x.lines[key]; known {
		return l, nil
	}
	eps := float64(key.center) * unit
	at, _ := x.profile()
	logDelta := double.Log64(max(at(eps+unit/2), 0x1p-1000))
	c, ok := x.choose(key.p, eps, logDelta)
	var l *line
	if ok {
		var err error
		if l, err = x.newLine(ctx, c); err != nil {
			return nil, err
		}
	}
	const most = 64
	if x.lines == nil || len(x.lines) >= most {
		x.lines = make(map[lineKey]*line)
	}
	x.lines[key] = l
	return l, nil
}
