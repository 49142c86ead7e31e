// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package convolve

// maxPrimes is the number of primes up to which the sums of vectors fit a word.
const maxPrimes = 512

// units returns what this machine has, the best first.
func units() []*unit { return append(vectors(), words) }

var best = units()[0]

// unitFor returns the best unit for products by so many primes.
func unitFor(primes int) *unit {
	if best.vectors && primes > maxPrimes {
		return words
	}
	return best
}
