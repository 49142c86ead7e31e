// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package accountants

import (
	"context"
	"fmt"

	"dpverify/exact/interval"
	"dpverify/float/pair"
	"dpverify/internal/others/fft"
	"dpverify/mechanism"
)

// onGrid asks an accountant of package float/fft about k copies of an event, one direction of which is as good as the
// other.
func onGrid(k int64, e mechanism.Event, of func(pair.Product) (float64, bool)) Number {
	return func(context.Context) (interval.Interval, error) {
		ps, err := pair.Resolve(e, mechanism.AddOrRemoveOne, mechanism.Remove)
		if err != nil {
			return interval.Interval{}, err
		}
		var p pair.Product
		for _, t := range ps[0] {
			p = append(p, pair.Term{Pair: t.Pair, Count: k * t.Count})
		}
		y, ok := of(p)
		if !ok {
			return interval.Interval{}, fmt.Errorf("accountants: internal error: %v is not on a grid", p)
		}
		return point(y), nil
	}
}

// Koskela is δ(ε) by the Fourier accountant of Koskela & Honkela, losses rounded up, with n points on [−10, 10).
func Koskela(k int64, e mechanism.Event, n int, eps float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.FourierUpper(p, 10, n)
		if !ok {
			return 0, false
		}
		return g.Delta(eps), true
	})
}

// KoskelaPoints is how many points that accountant needs for δ(0) within an error.
func KoskelaPoints(k int64, e mechanism.Event, n int) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) { return fft.FourierPoints(p, 10, n, 0, 1e-6) })
}

// PRV is the upper bound of ε at a δ by the accountant of Gopi, Lee & Wutschitz, with an error of 1e-3 in ε and of
// δ/1000 in δ.
func PRV(k int64, e mechanism.Event, delta float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		a, ok := fft.NewPRV(p, 1e-3, delta/1000)
		if !ok {
			return 0, false
		}
		_, upper := a.EpsilonBounds(delta)
		return upper, true
	})
}

// PRVPoints is n of that accountant by its own choice.
func PRVPoints(k int64, e mechanism.Event, deltaError float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		_, _, n, ok := fft.PRVPoints(p, 1e-3, deltaError)
		return n, ok
	})
}

// Google is ε at a δ by Google's accountant.
func Google(k int64, e mechanism.Event, delta float64) Number {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.PLD(p, fft.PLDInterval, fft.PLDTruncation)
		if !ok {
			return 0, false
		}
		return g.Epsilon(delta), true
	})
}
