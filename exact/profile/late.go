// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"sync"

	"dpverify/exact/interval"
)

// Late returns a profile that is prepared at its first use. One that cannot be prepared, and none, is all open.
func Late(prepare func(context.Context) (Func, error)) Func {
	var mu sync.Mutex
	var f Func
	return func(ctx context.Context, p interval.Prec, eps interval.Real) (interval.Interval, error) {
		mu.Lock()
		defer mu.Unlock()
		if f == nil && prepare != nil {
			g, err := prepare(ctx)
			if err != nil {
				return unit, err
			}
			f = g
		}
		if f == nil {
			return unit, nil
		}
		return f(ctx, p, eps)
	}
}
