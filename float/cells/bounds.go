// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cells

import (
	"context"
	"math"

	"dpverify/float/closed"
	"dpverify/float/value"
)

// connect fills in the dots. A line from the dot D at x to the dot D′ at x′ has the
// slope (D′ − D)/(e^x′ − e^x) in α = e^x, and P has the mass e^x·(slope after − slope
// before) at x:
//
//	(D′ − D)/(e^(x′−x) − 1) − (D − D″)/(1 − e^(x″−x)),  x″ the dot before.
//
// The line to the first dot starts from 1 at α = 0, and after the last one it is level.
//
// Dots are placed at upper bounds of the profile, and only dots of their lower convex
// hull are kept: it is at least every convex function below the dots, so the profile.
// A quotient is off by u for the difference, 4u for the exponential, whose argument is
// exact, and u for the division; the mass by u more: 8u of the two quotients covers that. A
// dot that is on the hull but for rounding has a mass that is below 0 by no more.
//
// It returns false if ctx ends.
func (c *Cells) connect(ctx context.Context, f closed.Profile, h float64, n int) bool {
	d := make([]float64, n+1)
	for i := range d {
		if ctx.Err() != nil {
			return false
		}
		d[i] = math.Min(1, math.Max(0, f(value.Exact(float64(c.First+i)*h)).Hi()))
	}
	mass := func(before, i, after int) (m, err float64) {
		behind := 1 - d[i]
		if before >= 0 {
			behind = (d[before] - d[i]) / -math.Expm1(float64(before-i)*h)
		}
		ahead := 0.0
		if after <= n {
			ahead = (d[i] - d[after]) / math.Expm1(float64(after-i)*h)
		}
		m = behind - ahead
		return m, 8 * value.U * (math.Abs(behind) + math.Abs(ahead))
	}
	hull := []int{0}
	for i := 1; i <= n; i++ {
		for len(hull) > 1 {
			m, _ := mass(hull[len(hull)-2], hull[len(hull)-1], i)
			if m > 0 {
				break
			}
			hull = hull[:len(hull)-1]
		}
		hull = append(hull, i)
	}
	c.Upper, c.UpperErr = make([]float64, n+1), make([]float64, n+1)
	for k, i := range hull {
		before, after := -1, n+1
		if k > 0 {
			before = hull[k-1]
		}
		if k+1 < len(hull) {
			after = hull[k+1]
		}
		m, err := mass(before, i, after)
		c.Upper[i], c.UpperErr[i] = math.Max(0, m), err
	}
	c.UpperInf = d[n]
	return true
}

// regroup splits the masses (a, b) of each cell onto its ends in the shares that keep
// the mean loss log a/b; any shares are sound. What is outside of the grid, and cells
// whose masses are not known to a factor of two, are left out. It returns false if ctx ends.
func (c *Cells) regroup(ctx context.Context, t closed.Tails, h float64, n int) bool {
	c.A, c.AErr = make([]float64, n+1), make([]float64, n+1)
	c.B, c.BErr = make([]float64, n+1), make([]float64, n+1)
	p0, q0 := t(value.Exact(float64(c.First) * h))
	for i := range n {
		if ctx.Err() != nil {
			return false
		}
		x := float64(c.First+i) * h
		p1, q1 := t(value.Exact(x + h))
		a, b := p0.Sub(p1), q0.Sub(q1)
		p0, q0 = p1, q1
		if !(a.V > 2*a.Err) || !(b.V > 2*b.Err) {
			continue
		}
		up := math.Min(1, math.Max(0, (math.Log(a.V/b.V)-x)/h))
		up = math.Round(up*0x1p20) / 0x1p20 // so that 1 − up is exact
		for j, share := range [2]float64{1 - up, up} {
			k := i + j
			c.A[k] += share * a.V
			c.B[k] += share * b.V
			c.AErr[k] += share*a.Err*(1+4*value.U) + 3*value.U*c.A[k]
			c.BErr[k] += share*b.Err*(1+4*value.U) + 3*value.U*c.B[k]
		}
	}
	return true
}

// Cells are the bounds of one mechanism: entry i is at the loss (First + i)·h.
type Cells struct {
	First int

	Upper, UpperErr []float64 // P-masses at the dots, and bounds of their errors
	UpperInf        float64   // an upper bound of what is above the last point

	A, AErr, B, BErr []float64 // regrouped masses of P and Q
	Inf              value.Value
}
