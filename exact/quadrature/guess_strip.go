// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package quadrature

import (
	"math"
	"slices"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// ChooseStrip returns the b up to widest at which a rule has the longest step, and that step, where e^{2πb/step} is to
// be e^need(b).
func ChooseStrip(widest float64, need func(b float64) float64) (best, step float64) {
	for i := range 16 {
		b := math.Ldexp(widest*float64(4-i%2)/4, -i/2)
		h := 2 * math.Pi * b / need(b)
		if step < h {
			best, step = b, h
		} else if 2*h < step {
			break // ever narrower strips need ever finer steps
		}
	}
	return best, step
}

// Spared returns how many of p bits a weight may lack that is so many nats below the greatest one.
func Spared(p interval.Prec, nats float64) interval.Prec {
	const spare = 16 // bits
	if bits := nats/math.Ln2 - spare; bits > 0 {
		return interval.Prec(min(bits, float64(p)))
	}
	return 0
}

// NewLacks returns how many bits values of a factor may lack, where logs bound the logarithms of the products, and own
// those of the factor: an error of the factor is multiplied by what all others are.
func NewLacks(logs []double.Interval, own []float64) Lacks {
	const spare = 16
	lacks := make(Lacks, len(logs))
	fewest := math.Inf(1)
	for j := range slices.Backward(logs) {
		fewest = min(fewest, (own[j]-logs[j].Hi)/math.Ln2-spare)
		lacks[j] = int(max(0, min(fewest, 1<<26)))
	}
	return lacks
}

// Need returns the nats by which a rule has to fall so that no value at x = j/n is off by more than e^−target and what
// it may lack, where e^bound(x) bounds the errors of a rule that does not fall: see Errors.
func (l Lacks) Need(target float64, bound func(x float64) float64) float64 {
	if len(l) < 2 {
		return target + bound(1)
	}
	var logs [parts + 1]float64
	for i := range logs {
		logs[i] = bound(float64(i) / parts)
	}
	most, n := math.Inf(-1), len(l)-1
	for j, lack := range l {
		i := min(j*parts/n, parts-1)
		x := float64(j*parts)/float64(n) - float64(i)
		most = max(most, logs[i]+x*(logs[i+1]-logs[i])-float64(lack)*math.Ln2)
	}
	return target + most
}
