// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"slices"
)

// maxSums bounds the sums of shifts that are looked at.
const maxSums = 1 << 13

// sumsOfShifts returns the sums of k of the given shifts, in any order of the entries and with any signs, that are
// below no other one entry by entry, with at most dimension entries (0: any number). It reports false if there are too
// many.
//
// Entries of one sign are enough: |s + t| ≤ |s| + |t| entry by entry. And so are sums of sums that are below no other
// ones, by the same.
func sumsOfShifts(single []shift, k, dimension int64) ([]shift, bool) {
	if dimension == 1 {
		return []shift{{single[0][0] * k}}, true
	}
	if k > maxShifts {
		return nil, false
	}
	sums, work := slices.Clone(single), 0
	for range k - 1 {
		var next []shift
		for _, s := range sums {
			for _, t := range single {
				if !addShifts(s, t, dimension, func(u shift) bool {
					if work++; work > maxSums {
						return false
					}
					if !slices.ContainsFunc(next, u.below) {
						next = append(slices.DeleteFunc(next, func(v shift) bool { return v.below(u) }), u)
					}
					return true
				}) {
					return nil, false
				}
			}
		}
		if sums = next; len(sums) > maxShifts {
			return nil, false
		}
	}
	return sums, true
}

// addShifts calls found for every way to add the entries of t to different entries of s, of which there are as many 0
// as wanted, up to the dimension. It reports false if found did.
func addShifts(s, t shift, dimension int64, found func(shift) bool) bool {
	n := len(s) + len(t)
	if dimension > 0 {
		n = min(n, int(dimension))
	}
	sum := make(shift, n)
	copy(sum, s)
	taken := make([]bool, n)
	var place func(i int) bool
	place = func(i int) bool {
		if i == len(t) {
			u := slices.DeleteFunc(slices.Clone(sum), func(x int64) bool { return x == 0 })
			slices.SortFunc(u, func(a, b int64) int { return int(min(max(b-a, -1), 1)) })
			return found(u)
		}
		for j := range sum {
			// Of entries that are equal and free, one is enough.
			same := slices.IndexFunc(sum[:j], func(x int64) bool { return x == sum[j] })
			if taken[j] || same >= 0 && !taken[same] {
				continue
			}
			taken[j] = true
			sum[j] += t[i]
			ok := place(i + 1)
			sum[j] -= t[i]
			taken[j] = false
			if !ok {
				return false
			}
		}
		return true
	}
	return place(0)
}
