// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package afa

import (
	"context"
	"math"
)

// The rule of 15 points of Gauss and Kronrod on [−1, 1]: every second one, from the second on, is of the
// rule of Gauss with 7.
var (
	kronrodX = [8]float64{0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
		0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
		0.586087235467691130294144691238259, 0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0}
	kronrodW = [8]float64{0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
		0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
		0.169004726639267902826583426598550, 0.190350578064785409913256402421014, 0.204432940075298892414161999234649,
		0.209482141084727828012999174891714}
	gaussW = [4]float64{0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
		0.381830050505118944950369775488975, 0.417959183673469387755102040816327}
)

// A panel is a part of the range with its integral and what is guessed of its error.
type panel struct{ lo, hi, sum, err float64 }

// maxPanels bounds the panels of an integral.
const maxPanels = 2000

// integrate integrates f over [0, 1] until the sum of what is guessed of the errors of all panels is at most tol, or
// there are so many panels, or ctx ends. It returns the number of points at which f was evaluated.
func integrate(ctx context.Context, f func(float64) float64, tol float64, most int) (sum, err float64, points int) {
	rule := func(lo, hi float64) panel {
		c, h := (lo+hi)/2, (hi-lo)/2
		kronrod, gauss := 0.0, 0.0
		for i, x := range kronrodX {
			y := f(c + h*x)
			if x != 0 {
				y += f(c - h*x)
			}
			kronrod += kronrodW[i] * y
			if i%2 == 1 {
				gauss += gaussW[i/2] * y
			}
		}
		points += 15
		return panel{lo, hi, h * kronrod, math.Abs(h * (kronrod - gauss))}
	}
	ps := []panel{rule(0, 1)}
	for {
		sum, err = 0, 0
		worst := 0
		for i, p := range ps {
			sum, err = sum+p.sum, err+p.err
			if p.err > ps[worst].err {
				worst = i
			}
		}
		if err <= tol || len(ps) >= most || ctx.Err() != nil {
			return sum, err, points
		}
		p := ps[worst]
		mid := (p.lo + p.hi) / 2
		ps[worst] = rule(p.lo, mid)
		ps = append(ps, rule(mid, p.hi))
	}
}
