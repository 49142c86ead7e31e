// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package method

import (
	"dpverify/exact/allocation"
	"dpverify/exact/pair"
)

// Reports: shuffled reports, of which all but one have the same distribution, by a lattice; see allocation.Shuffled.
type Reports struct{}

func (Reports) Plan(s *Solver, prod pair.Product, e Effort) *Plan {
	x, ok := pair.Single[pair.Reports](prod)
	if !ok {
		return nil
	}
	set := allocation.Settings{Points: 1 << (14 + min(e, 4)), Fine: 8 << min(e, 5), Cut: 60}
	if s.scale >= 0 {
		set.Cut = s.scale + 20 + 4*int(e)
	}
	return &Plan{Cost: 0.05 + float64(set.Points)*1e-5, TwoSided: true, Slow: e > 0, Draft: Coarse,
		Prepare: ready(allocation.Shuffled(x, set)), Shortcuts: Shortcuts{Near: allocation.NearReports(x)}}
}
