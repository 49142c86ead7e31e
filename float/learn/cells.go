// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package learn

// cells are 2N cells and their N halves.
type cells int

// half returns the half cell of cell i of 2N, or −1 outside.
func (n cells) half(i int) int {
	switch {
	case i >= 2*int(n):
		return -1
	case i >= int(n):
		return i - int(n)
	}
	return int(n) - 1 - i
}
