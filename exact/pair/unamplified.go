// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package pair

// Unamplified replaces a pair that hides a record among others by one without them, which dominates it. A random
// allocation of a base becomes so many copies of the base, and shuffled reports become the record's own. It reports
// false if there is none.
//
//   - An allocation is the mean of such products over the sets of steps, with Q in all other steps: H_α is
//     jointly convex.
//   - So are bins and patterns, which become the one bin or pattern that shows most, or samples of a known shift.
//   - Other reports are a post-processing of the record's own.
//   - A sample of a product is a post-processing of the same sample of a product that dominates it.
func Unamplified(prod Product) (Product, bool) {
	out, changed := Product(nil), false
	for _, t := range prod {
		switch x := t.Pair.(type) {
		case Allocation:
			base := x.Base
			if x.Reversed {
				base = base.Reverse()
			}
			out, changed = append(out, Term{base, TimesCount(t.Count, x.Selected)}), true
			continue
		case Patterns:
			for _, of := range x.known() {
				out = append(out, Term{of.Pair, TimesCount(t.Count, of.Count)})
			}
			changed = true
			continue
		case interface{ alone() Pair }:
			t.Pair, changed = x.alone(), true
		case Sampled:
			if base, ok := Unamplified(x.Base); ok {
				x.Base = base
				t.Pair, changed = x, true
			}
		case Mean:
			t.Pair = Mean{x.Shares, after(func(p Product) Product {
				base, ok := Unamplified(p)
				changed = changed || ok
				return base
			}, x.Of)}
		}
		out = append(out, t)
	}
	return out.Merged(), changed
}

// Blocks replaces random allocations to k > 1 of t steps by k allocations to one step of blocks of ⌊t/k⌋ or ⌈t/k⌉,
// which dominate. It reports false if there is none.
//
// Split the steps at random into such blocks and allocate to one step of each: by symmetry that is a uniformly random
// set of k steps. Given the blocks it is the product, and H_α is jointly convex.
func Blocks(prod Product) (Product, bool) {
	out, changed := Product(nil), false
	for _, t := range prod {
		x, ok := t.Pair.(Allocation)
		if !ok || x.Selected == 1 {
			out = append(out, t)
			continue
		}
		changed = true
		size, longer := x.Steps/x.Selected, x.Steps%x.Selected
		for i, n := range []int64{x.Selected - longer, longer} {
			block := x
			block.Selected, block.Steps = 1, size+int64(i)
			var of Pair = block
			if block.Steps == 1 {
				if of = x.Base; x.Reversed {
					of = x.Base.Reverse()
				}
			}
			if n > 0 {
				out = append(out, Term{of, TimesCount(t.Count, n)})
			}
		}
	}
	return out.Merged(), changed
}
