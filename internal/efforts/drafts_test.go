// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package efforts

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/mechanism"
)

// TestDraftsInOrder: each draft is made once, the fastest first, although the time has ended
// before; without a limit, those that take little time are, for somebody who interrupts.
func TestDraftsInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		for _, c := range []struct {
			limited context.Context
			want    []exact.Draft
		}{{limited, exact.Drafts}, {t.Context(), []exact.Draft{exact.Instant, exact.ByMoments}}} {
			var made []exact.Draft
			d := StartDrafts(t.Context(), c.limited, func(_ context.Context, x exact.Draft) error {
				made = append(made, x)
				return nil
			})
			if err := d.Wait(); err != nil || !slices.Equal(made, c.want) {
				t.Errorf("drafts %v, %v, want %v", made, err, c.want)
			}
			d.Stop()
		}
	})
}

// TestDraftsReportBugsOnly: what a draft cannot do is no error, a bug of the engine is.
func TestDraftsReportBugsOnly(t *testing.T) {
	limited, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	bug := exact.Contradiction("one", interval.Int(0), "two", interval.Int(1))
	for _, c := range []struct {
		name string
		f    func() error
		bug  bool
	}{
		{"unknown event", func() error { return &mechanism.ParamError{} }, false},
		{"contradiction", func() error { return bug }, true},
		{"panic", func() error { panic("impossible") }, true},
	} {
		d := StartDrafts(t.Context(), limited, func(context.Context, exact.Draft) error { return c.f() })
		if err := d.Wait(); (err != nil) != c.bug {
			t.Errorf("%s: %v", c.name, err)
		}
		d.Stop()
	}
}
