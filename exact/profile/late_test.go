// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package profile

import (
	"context"
	"io"
	"testing"

	"dpverify/exact/interval"
)

// TestLate: a profile is prepared once, again only after an error, and not before it is asked for; none is all open.
func TestLate(t *testing.T) {
	prepared := 0
	f := Late(func(context.Context) (Func, error) {
		if prepared++; prepared == 1 {
			return nil, io.ErrUnexpectedEOF
		}
		return Trivial, nil
	})
	if prepared != 0 {
		t.Fatal("prepared before it is used")
	}
	eps := interval.RealRat(rat("-1"))
	if _, err := f(t.Context(), 64, eps); err != io.ErrUnexpectedEOF {
		t.Errorf("error %v", err)
	}
	want, _ := Trivial(t.Context(), 64, eps)
	for range 2 {
		if y, err := f(t.Context(), 64, eps); err != nil || y.Lo().Cmp(want.Lo()) != 0 || y.Hi().Cmp(want.Hi()) != 0 {
			t.Errorf("%s, %v", y, err)
		}
	}
	if prepared != 2 {
		t.Errorf("prepared %d times", prepared)
	}
	for _, none := range []func(context.Context) (Func, error){nil, func(context.Context) (Func, error) { return nil, nil }} {
		if y, err := Late(none)(t.Context(), 64, eps); err != nil || y.Lo().Sign() != 0 || y.ContainsRat(rat("1")) == false {
			t.Errorf("%s, %v", y, err)
		}
	}
}
