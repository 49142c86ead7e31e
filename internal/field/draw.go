// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package field

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
)

// A Drawing draws events at random, by their fields: each from its domain, until the rules of the class hold.
type Drawing struct {
	Rand *rand.Rand
	// Any returns a number from anywhere, and integers go as far as they may. If it is nil, parameters are usual ones.
	Any func() *big.Rat
	// Inside draws the event that another one is about. It may return nil, which is no event.
	Inside func(*Drawing) any

	// Records is how many records the sample has that the event is run on, or Unfixed; 0 if it is run on no sample.
	Records int64
	Length  int  // of the lists in the event
	Failed  bool // no event of the class fits
}

// Unfixed is the size of a sample of no fixed number of records.
const Unfixed = -1

// awkward are numbers at which programs have been seen to stumble.
var awkward = []string{"1", "0.1", "0.5", "2", "0.3", "0.9999999", "1.0000001", "0.7"}

// Usual draws a number of [lo, hi], on a logarithmic scale, with at most three digits, or an awkward one.
func (d *Drawing) Usual(lo, hi float64) *big.Rat {
	if d.Rand.IntN(3) == 0 {
		for range 4 {
			x, _ := new(big.Rat).SetString(awkward[d.Rand.IntN(len(awkward))])
			if f, _ := x.Float64(); lo <= f && f <= hi {
				return x
			}
		}
	}
	x, _ := new(big.Rat).SetString(fmt.Sprintf("%.3g", lo*math.Pow(hi/lo, d.Rand.Float64())))
	return x
}

// Distribution draws probabilities in hundredths, and if they need not be usual, in other parts, of which some are 0.
func (d *Drawing) Distribution() []*big.Rat {
	whole, least := int64(100), int64(1)
	if d.Any != nil {
		whole, least = 1+d.Rand.Int64N(3000), 0
	}
	n := d.Length
	left, out := whole, make([]*big.Rat, n)
	for i := range out {
		x := left
		if rest := least * int64(n-1-i); i < n-1 {
			x = least + d.Rand.Int64N(left-rest-least+1)
		}
		out[i] = big.NewRat(x, whole)
		left -= x
	}
	return out
}

// Integer draws one of [least, most], usually of [lo, hi].
func (d *Drawing) Integer(least, most, lo, hi int64) int64 {
	switch {
	case d.Any == nil:
		lo = min(lo, most)
		return lo + d.Rand.Int64N(min(hi, most)-lo+1)
	case d.Rand.IntN(2) == 0:
		most = min(most, least+3)
	}
	return least + d.Rand.Int64N(most-least+1)
}
