package figure

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// mostLabels is how many labels an axis has at most, and about.
const mostLabels = 8

// linearTicks labels an axis of numbers at multiples of 1, 2 or 5 times a power of
// ten.
type linearTicks struct{}

// Ticks returns the ticks between lo and hi.
func (linearTicks) Ticks(lo, hi float64) []plot.Tick {
	unit := math.Pow10(int(math.Floor(math.Log10((hi - lo) / mostLabels))))
	step, minor := unit, unit/2
	for _, s := range []struct{ step, minor float64 }{{2, 0.5}, {5, 1}, {10, 2}} {
		if (hi-lo)/step > mostLabels {
			step, minor = s.step*unit, s.minor*unit
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ts []plot.Tick
	per := math.Round(step / minor)
	// Adding 0 turns −0 into 0.
	for i := math.Ceil(lo/minor-1e-9) + 0; i <= hi/minor+1e-9; i++ {
		t := plot.Tick{Value: i * minor}
		if math.Mod(i, per) == 0 {
			t.Label = strconv.FormatFloat(i/per*step, 'f', decimals, 64)
		}
		ts = append(ts, t)
	}
	return ts
}

// logTicks labels an axis of logarithms to base 10 with the numbers themselves,
// which may be far outside of the range of float64.
type logTicks struct{}

// Ticks returns the ticks of an axis whose ends are integers.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	span := int(hi - lo)
	var ts []plot.Tick
	if span > mostLabels {
		for _, t := range (linearTicks{}).Ticks(lo, hi) {
			if t.Value != math.Round(t.Value) {
				continue
			}
			if t.Label != "" {
				t.Label = power(1, int(t.Value))
			}
			ts = append(ts, t)
		}
		return ts
	}
	for e := int(math.Ceil(lo)); e <= int(math.Floor(hi)); e++ {
		ts = append(ts, plot.Tick{Value: float64(e), Label: power(1, e)})
		if e == int(hi) {
			break
		}
		for m := 2; m < 10; m++ {
			t := plot.Tick{Value: float64(e) + math.Log10(float64(m))}
			if span <= 2 && (m == 2 || m == 5) {
				t.Label = power(m, e)
			}
			ts = append(ts, t)
		}
	}
	return ts
}

// power writes m·10^e as the command line does.
func power(m, e int) string {
	switch {
	case e >= 0 && e < 3:
		return strconv.Itoa(m * int(math.Pow10(e)))
	case e < 0 && e >= -3:
		return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', -e, 64)
	}
	return strconv.Itoa(m) + "e" + strconv.Itoa(e)
}
