// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package meaning

import (
	"dpverify/exact/blanket"
	"dpverify/exact/pair"
	"dpverify/mechanism"
)

// shuffled resolves shuffled reports. Two neighbours differ in one record, which has one report: there is no number of
// reports that is one more.
//
// Bounds: see package blanket.
func (r *resolver) shuffled(e mechanism.Shuffled, path string) (meaning, error) {
	switch r.rel {
	case mechanism.ReplaceOne:
	case mechanism.AddOrRemoveOne, mechanism.ReplaceSpecial:
		return r.undefined(e, path,
			"the number of reports is fixed, and the guarantee of a report is for replacing its record; it is not defined")
	default:
		return meaning{}, mechanism.UnknownRelation(r.rel)
	}
	others := e.Reports - 1
	within := func(upper []pair.Product, lower blanket.Below) meaning {
		below := lower.Replacing
		if !r.alike {
			below = append(below, lower.Own...)
		}
		if below == nil {
			below = []pair.Product{nil}
		}
		return meaning{NewFactors(upper...), evidence{bounded, below}, traits{}}
	}
	switch local := e.Event.(type) {
	case mechanism.EpsilonDelta:
		if local.Epsilon.Sign() == 0 {
			return neutral(), nil
		}
		response := pair.Copies(pair.Response{Eps: local.Epsilon, Delta: local.Delta}, 1)
		if others == 0 {
			return exactly(response), nil
		}
		upper, lower := blanket.OfGuarantee(local.Epsilon, others)
		if upper == nil { // too great an ε to be hidden
			upper = response
		}
		return within([]pair.Product{upper}, lower), nil
	case mechanism.RandomizedResponse:
		switch {
		case local.NumBuckets == 1 || local.NoiseParameter.Cmp(ratOne) == 0:
			return neutral(), nil
		case local.NoiseParameter.Sign() == 0: // all else is known
			return nonPrivate(), nil
		case others == 0:
			return exactUnlessTrivial(replaceOneResponse(local))
		}
		upper, lower := blanket.OfResponse(local, others)
		return within([]pair.Product{upper}, lower), nil
	case mechanism.LocalRandomizer:
		if others == 0 {
			return localMeaning(local), nil
		}
		upper, lower := blanket.OfTable(local.Table, others)
		if upper == nil {
			return neutral(), nil
		}
		return within(upper, lower), nil
	}
	return meaning{}, &mechanism.UnsupportedError{Path: path, Class: e.ClassName()}
}

// localMeaning is one report: of any two inputs.
func localMeaning(e mechanism.LocalRandomizer) meaning {
	var of []pair.Product
	for i, p := range e.Table {
		for j, q := range e.Table {
			if f := pair.NewFinite(p, q); i != j && !f.Trivial() {
				of = append(of, pair.Copies(f, 1))
			}
		}
	}
	if of == nil {
		return neutral()
	}
	return exactly(of...)
}
