// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package reproduce

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/exact/interval"
	"dpverify/float/fft"
	"dpverify/float/pair"
	"dpverify/mechanism"
)

// onGrid asks an accountant of package float/fft about k copies of an event, one direction of which is as good as the other.
func onGrid(k int64, e mechanism.Event, of func(pair.Product) (float64, bool)) Quantity {
	return measured(func(context.Context) (interval.Interval, error) {
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
			return interval.Interval{}, fmt.Errorf("reproduce: internal error: %v is not on a grid", p)
		}
		return point(y), nil
	})
}

// byKoskela is δ(ε) by the Fourier accountant of Koskela & Honkela, losses rounded up, with n points on [−10, 10).
func byKoskela(k int64, e mechanism.Event, n int, eps float64) Quantity {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.FourierAccountant(p, 10, n, true)
		if !ok {
			return 0, false
		}
		return g.Delta(eps), true
	})
}

// koskelaPoints is how many points that accountant needs for δ(0) within an error.
func koskelaPoints(k int64, e mechanism.Event, n int) Quantity {
	return onGrid(k, e, func(p pair.Product) (float64, bool) { return fft.FourierPoints(p, 10, n, 0, 1e-6) })
}

// byPRV is the upper bound of ε at a δ by the accountant of Gopi, Lee & Wutschitz, with an error of 1e-3 in ε and of δ/1000 in δ.
func byPRV(k int64, e mechanism.Event, delta float64) Quantity {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		a, ok := fft.NewPRV(p, 1e-3, delta/1000)
		if !ok {
			return 0, false
		}
		_, upper := a.EpsilonBounds(delta)
		return upper, true
	})
}

// prvPoints is n of that accountant by its own choice.
func prvPoints(k int64, e mechanism.Event, deltaError float64) Quantity {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		_, _, n, ok := fft.PRVPoints(p, 1e-3, deltaError)
		return n, ok
	})
}

// byGoogle is ε at a δ by Google's accountant.
func byGoogle(k int64, e mechanism.Event, delta float64) Quantity {
	return onGrid(k, e, func(p pair.Product) (float64, bool) {
		g, ok := fft.PLD(p, fft.PLDInterval, fft.PLDTruncation)
		if !ok {
			return 0, false
		}
		return g.Epsilon(delta), true
	})
}

// aboveExact is by how much a number is above the exact ε of an event at a δ.
func aboveExact(of Quantity, e mechanism.Event, delta *big.Rat) Quantity {
	return measured(func(ctx context.Context) (interval.Interval, error) {
		y, err := of.of.(*given).measure(ctx)
		if err != nil {
			return y, err
		}
		f, err := both(e).prepare(ctx, delta, last)
		if err != nil {
			return y, err
		}
		r, err := f.Epsilon(ctx, delta, 2*epsilonBits)
		return interval.Prec(96).Sub(y, r.Interval), err
	})
}
