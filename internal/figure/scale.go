// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package figure

import (
	"math"
	"slices"
	"strconv"
	"sync"

	"dpverify/exact/double"
	"dpverify/exact/interval"
)

// A Scale says how an axis shows its numbers. An axis has heights: what is drawn at equal
// distances.
type Scale interface {
	// height encloses the heights of numbers, and number the numbers of heights.
	height(x interval.Interval) interval.Interval
	number(t interval.Interval) interval.Interval
	// rough is height in double precision. What it does not enclose well has wide bounds.
	rough(x double.Interval) double.Interval
	// round widens a range of heights to where it should end.
	round(lo, hi float64) (float64, float64)
	// ticks are the labelled heights in a range, at most about most.
	ticks(lo, hi float64, most int) []tick
	// name names the function from numbers to heights, and least is the label of the number
	// that has no height, or −∞.
	name() string
	least() string
}

// A tick is a labelled place of an axis.
type tick struct {
	at    float64
	label string
}

// Scales.
var (
	Linear Scale = linear{}
	// Log shows logarithms to base 10, labelled with the numbers.
	Log Scale = logarithmic{}
	// Growth shows e^x.
	Growth Scale = growth{}
)

type linear struct{}

func (linear) height(x interval.Interval) interval.Interval { return x }
func (linear) number(t interval.Interval) interval.Interval { return t }
func (linear) rough(x double.Interval) double.Interval      { return x }
func (linear) name() string                                 { return "linear" }
func (linear) least() string                                { return "−∞" }

func (linear) ticks(lo, hi float64, most int) []tick {
	step := tickStep(hi-lo, most)
	if !(math.Max(math.Abs(lo), math.Abs(hi)) < step*(1<<50)) {
		// So near each other that binary64 numbers between them are few, or none: steps would not move.
		return slices.Compact([]tick{{lo, strconv.FormatFloat(lo, 'g', -1, 64)}, {hi, strconv.FormatFloat(hi, 'g', -1, 64)}})
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ts []tick
	// Adding 0 turns −0 into 0.
	for i := math.Ceil(lo/step-1e-9) + 0; i <= hi/step+1e-9; i++ {
		ts = append(ts, tick{i * step, strconv.FormatFloat(i*step, 'f', decimals, 64)})
	}
	return ts
}

// Ticked widens a range to where a linear axis with at most about so many parts has ticks.
func Ticked(lo, hi float64, parts int) (float64, float64) {
	step := tickStep(hi-lo, parts)
	return min(lo, math.Floor(lo/step+1e-9)*step), max(hi, math.Ceil(hi/step-1e-9)*step)
}

// tickStep is a step of 1, 2 or 5 times a power of ten that divides a span into at most so
// many parts.
func tickStep(span float64, most int) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(span/float64(most))))
	for _, s := range []float64{1, 2, 5} {
		if span/(s*unit) <= float64(most)*(1+1e-9) {
			return s * unit
		}
	}
	return 10 * unit
}

func (linear) round(lo, hi float64) (float64, float64) {
	if 0 < lo && lo < hi/2 {
		lo = 0
	}
	if lo == hi {
		room := max(1, math.Abs(lo)/10)
		lo, hi = lo-room, hi+room
	}
	return Ticked(lo, hi, mostTicks)
}

type growth struct{ linear }

func (growth) height(x interval.Interval) interval.Interval { return bits.Exp(x) }
func (growth) number(t interval.Interval) interval.Interval { return bits.Log(t) }
func (growth) rough(x double.Interval) double.Interval      { return x.Exp() }
func (growth) name() string                                 { return "exp" }
func (growth) least() string                                { return "0" }

type logarithmic struct{}

func (logarithmic) height(x interval.Interval) interval.Interval {
	if x.IsZero() {
		return interval.Point(interval.Entire().Lo())
	}
	return bits.Div(bits.Log(x), logTen())
}

// logTen encloses ln 10.
var logTen = sync.OnceValue(func() interval.Interval { return bits.Log(interval.Int(10)) })

func (logarithmic) rough(x double.Interval) double.Interval {
	if x.Lo <= 0 {
		return double.Entire()
	}
	return x.Log().Div(double.Of(logTen()))
}

func (logarithmic) number(t interval.Interval) interval.Interval {
	return bits.Exp(bits.Mul(t, logTen()))
}

func (logarithmic) name() string  { return "log10" }
func (logarithmic) least() string { return "0" }

func (logarithmic) round(lo, hi float64) (float64, float64) {
	lo, hi = math.Floor(lo+1e-9), math.Ceil(hi-1e-9)
	if lo == hi {
		lo--
	}
	return lo, hi
}

func (logarithmic) ticks(lo, hi float64, most int) []tick {
	var ts []tick
	if span := hi - lo; span > float64(most) {
		for _, t := range (linear{}).ticks(lo, hi, most) {
			if t.at == math.Round(t.at) {
				ts = append(ts, tick{t.at, power(1, int(t.at))})
			}
		}
		return ts
	}
	between := []int{1}
	if 3*(hi-lo) <= float64(most) {
		between = []int{1, 2, 5}
	}
	for e := int(math.Floor(lo)); e <= int(math.Ceil(hi)); e++ {
		for _, m := range between {
			at := float64(e) + math.Log10(float64(m))
			if lo-1e-9 <= at && at <= hi+1e-9 {
				ts = append(ts, tick{at, power(m, e)})
			}
		}
	}
	return ts
}

// mostTicks is how many ticks an axis has, about.
const mostTicks = 7

// power writes m·10^e as the command line does.
func power(m, e int) string {
	switch {
	case e >= 0 && e < 5:
		return strconv.Itoa(m * int(math.Pow10(e)))
	case e < 0 && e >= -3:
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', -e, 64)
	}
	return strconv.Itoa(m) + "e" + strconv.Itoa(e)
}
