// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package calibrate

import "fmt"

// A border lies between the indices from 0 on that are private enough and the rest.
type border struct {
	size   int64
	start  int64                             // the index that is tried first
	stride int64                             // how far it is to the next; up to 1, steps double, from start on
	seems  func(i int64) (bool, error)       // an estimate of whether an index is private enough
	decide func(i int64) (*Candidate, error) // the proof
}

// guess returns the last index that seems to be private enough: from start on in steps, back to one that is and
// on to one that is not, then by bisection. ok is false if index 0 is not.
func (b border) guess() (last int64, ok bool, err error) {
	step := max(b.stride, 1)
	if b.stride <= 1 {
		step = max(b.start, 1)
	}
	grow := func() {
		if b.stride <= 1 {
			step *= 2
		}
	}
	lo, hi := min(b.start, b.size-1), b.size // lo is good; hi is not, or is past the end
	for {
		if ok, err = b.seems(lo); err != nil || !ok && lo == 0 {
			return 0, false, err
		} else if ok {
			break
		}
		lo, hi = max(lo-step, 0), lo
		grow()
	}
	for next := lo + step; hi == b.size && next < b.size; next += step {
		if ok, err = b.seems(next); err != nil {
			return 0, false, err
		} else if !ok {
			hi = next
			break
		}
		lo = next
		grow()
	}
	for hi-lo > 1 {
		mid := lo + (hi-lo)/2
		if ok, err = b.seems(mid); err != nil {
			return 0, false, err
		} else if ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, true, nil
}

// maxCertified bounds the values that are certified one by one: estimates are right to
// the last digit or next to it.
const maxCertified = 32

// certify finds the border between VERIFIED and the rest, next to index i, in single steps.
func (b border) certify(i int64) (Finding, error) {
	var f Finding
	for range maxCertified {
		c, err := b.decide(i)
		if err != nil {
			return f, err
		}
		if c.verified() {
			f.Best = c
			if f.Next != nil || i+1 >= b.size {
				return f, nil
			}
			i++
			continue
		}
		f.Next = c
		if f.Best != nil || i == 0 {
			return f, nil
		}
		i--
	}
	if f.Next == nil {
		f.Ended = fmt.Sprintf("the search ends after %d certified values, and the next may do, too", maxCertified)
	}
	return f, nil
}
