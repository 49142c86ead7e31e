// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package derive

import (
	"slices"
	"strings"

	"dpverify/exact/conversion"
)

const otherGrid = "the value is the least ε; another library's discretisation is not modelled"

// Methods are the derivations, by the names that claims give.
var Methods = []Method{
	{Name: "basic", Source: "Dwork et al. 2006", Bound: true, Formula: true,
		derivations: from((*deriver).points, (*deriver).basic, (*deriver).basicDelta)},
	{Name: "adaptive", Source: "Meiser & Mohammadi 2018", Bound: true, Formula: true,
		derivations: from((*deriver).points, (*deriver).adaptive, (*deriver).adaptiveDelta)},
	{Name: "advanced", Source: "Dwork, Rothblum & Vadhan 2010", Bound: true, Formula: true,
		derivations: from((*deriver).points, (*deriver).advanced, (*deriver).advancedDelta)},
	{Name: "kov", Source: "Kairouz, Oh & Viswanath 2015", Bound: true,
		derivations: from((*deriver).equalPoints, (*deriver).kov, (*deriver).kovDelta)},
	{Name: "kov-optimal", Source: "Murtagh & Vadhan 2016", Bound: true, Search: true,
		derivations: from((*deriver).responses, (*deriver).kovOptimal, (*deriver).kovOptimalDelta)},
	{Name: "kov-profile", Source: "Meiser & Mohammadi 2018", Bound: true, Search: true,
		derivations: from((*deriver).kovOfProfile, (*deriver).kovProfileEpsilon, (*deriver).kovProfileDelta)},
	{Name: "moments-accountant", Source: "Abadi et al. 2016", Bound: true,
		derivations: from(curveBy(conversion.MomentsAccountant), (*deriver).renyiEpsilon, (*deriver).renyiDelta)},
	{Name: "rdp-mironov", Source: "Mironov 2017", Bound: true, Orders: true,
		derivations: from(curveBy(conversion.Mironov), (*deriver).renyiEpsilon, (*deriver).renyiDelta)},
	{Name: "rdp-cks", Source: "Canonne, Kamath & Steinke 2020", Bound: true, Orders: true,
		derivations: from(curveBy(conversion.CKS), (*deriver).renyiEpsilon, (*deriver).renyiDelta)},
	{Name: "extended-moments-accountant", Source: "Sommer, Abfalterer, Zingg & Mohammadi 2021", Bound: true, Orders: true,
		derivations: from((*deriver).extended, (*deriver).extendedEpsilon, (*deriver).extendedDelta)},
	{Name: "zcdp-bs", Source: "Bun & Steinke 2016", Bound: true, Formula: true,
		derivations: from((*deriver).concentration, (*deriver).zcdpBS, (*deriver).zcdpBSDelta)},
	{Name: "zcdp-cks", Source: "Canonne, Kamath & Steinke 2020", Bound: true, Formula: true,
		derivations: from((*deriver).concentration, (*deriver).zcdpCKS, (*deriver).zcdpCKSDelta)},
	{Name: "gdp-clt", Source: "Bu, Dong, Long & Su 2020", Formula: true,
		derivations: from((*deriver).centralMu, (*deriver).gdpCLT, (*deriver).gdpCLTDelta)},
	{Name: "exact", Least: true},
	{Name: "pld", Least: true, Note: otherGrid},
	{Name: "prv", Least: true, Note: otherGrid},
}

// Named returns the method with a name; false if this version does not know it.
func Named(name string) (Method, bool) {
	i := slices.IndexFunc(Methods, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return Methods[i], true
}

// Listed returns the bounds of methods by their names with commas between them, in that order; "all" is every method.
// It returns none if a name is not one.
func Listed(names string) []Method {
	var out []Method
	for name := range strings.SplitSeq(names, ",") {
		n := len(out)
		for _, m := range Methods {
			if !m.Least && (m.Name == name || name == "all") {
				out = append(out, m)
			}
		}
		if len(out) == n {
			return nil
		}
	}
	return out
}
