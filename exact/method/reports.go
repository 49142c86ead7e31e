// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/allocation"
	"dpverify/exact/blanket"
	"dpverify/exact/pair"
	"dpverify/exact/profile"
)

// Reports: shuffled reports, of which all but one have the same distribution, by a lattice, and those of any local
// randomizer, from above; see allocation.Shuffled and allocation.Local.
func Reports(s *Solver, prod pair.Product, e Effort) *Plan {
	set := allocation.Settings{Points: 1 << (15 + min(e, 3)), Fine: 16 << min(e, 4), Cut: 60}
	if s.scale >= 0 {
		set.Cut = s.scale + 20 + 4*int(e)
	}
	plan := &Plan{Cost: 0.05 + float64(set.Points)*1e-5, Slow: e > 0, Draft: Coarse}
	if x, ok := pair.Single[pair.LocalReports](prod); ok {
		plan.Cost, plan.Slow = 2*plan.Cost, true
		plan.Prepare = ready(allocation.Local(x, set))
		plan.Shortcuts = Shortcuts{Near: allocation.NearLocal(x)}
		return plan
	}
	x, ok := pair.Single[pair.Reports](prod)
	if !ok {
		return nil
	}
	plan.TwoSided, plan.Prepare = true, ready(allocation.Shuffled(x, set))
	plan.Shortcuts = Shortcuts{Near: allocation.NearReports(x)}
	return plan
}

// fewReports is up to how many reports are listed, perhaps.
const fewReports = 64

// Blanket: shuffled reports of any local randomizer, by what of the others does not depend on their inputs. Many
// reports alone have a bound that needs no other one: see Reports.
func Blanket(s *Solver, prod pair.Product, _ Effort) *Plan {
	x, alone := pair.Single[pair.LocalReports](prod)
	if hidden, ok := blanket.Blanketed(prod); ok && !(alone && x.Others > fewReports) {
		return s.oneSided(hidden, profile.FromAbove)
	}
	return nil
}
