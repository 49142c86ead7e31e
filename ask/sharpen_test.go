// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestSharpen: answers are narrowed in turn; the end of the time keeps the rest as they are, and any other
// error is one.
func TestSharpen(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		err     error // of the second answer
		want    error
		changed int
	}{{nil, nil, 3}, {context.DeadlineExceeded, nil, 1}, {stop, stop, 1}} {
		answers := make([]Answer, 3)
		err := Sharpen(t.Context(), Goal{Budget: time.Hour}, answers, func(_ context.Context, i int, a Answer) (Answer, error) {
			if i == 1 && c.err != nil {
				return a, c.err
			}
			a.Found = true
			return a, nil
		})
		changed := 0
		for _, a := range answers {
			if a.Found {
				changed++
			}
		}
		if !errors.Is(err, c.want) || changed != c.changed {
			t.Errorf("%v: %d answers are narrowed, error %v", c.err, changed, err)
		}
	}
}
