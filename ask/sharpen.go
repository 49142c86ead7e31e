// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"

	"dpverify/internal/efforts"
)

// Sharpen narrows answers for as long as a goal has time, by a function that narrows one.
func Sharpen(ctx context.Context, g Goal, answers []Answer, narrow func(ctx context.Context, i int,
	a Answer) (Answer, error)) error {
	limited, cancel := g.Limit(ctx)
	defer cancel()
	for i, a := range answers {
		narrower, err := narrow(limited, i, a)
		switch {
		case efforts.OutOfTime(ctx, err):
			return nil
		case err != nil:
			return err
		}
		answers[i] = narrower
	}
	return nil
}
