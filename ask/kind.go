// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask

import (
	"math/big"

	"dpverify/exact/renyi"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
)

// A Kind is a quantity before it is said where it is asked for.
type Kind struct {
	Name   string        // as commands and the query protocol call it
	Symbol string        // δ, ε, …
	Domain number.Domain // of where
	// Infinite says that it can be asked for at "inf" as well.
	Infinite bool
	at       func(x *big.Rat) Quantity // nil for ∞
}

// The kinds, in order of their names.
var (
	KindDelta      = Kind{Name: "delta", Symbol: "δ", Domain: number.Any, at: Delta}
	KindEpsilon    = Kind{Name: "epsilon", Symbol: "ε", Domain: number.NonNegative, at: Epsilon}
	KindGaussianDP = Kind{Name: "gdp", Symbol: "μ", Domain: number.UpToHalf, at: GaussianDP}
	KindRenyi      = Kind{Name: "renyi", Symbol: "R", Domain: number.Positive, Infinite: true,
		at: func(x *big.Rat) Quantity {
			if x == nil {
				return Renyi(renyi.Infinity)
			}
			return Renyi(renyi.At(x))
		}}
	KindTradeOff = Kind{Name: "tradeoff", Symbol: "f", Domain: number.Probability, at: TradeOff}
)

// kinds are all of them.
var kinds = []Kind{KindDelta, KindEpsilon, KindGaussianDP, KindRenyi, KindTradeOff}

// KindNamed returns the kind with a name; false if there is none.
func KindNamed(name string) (Kind, bool) {
	for _, k := range kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

// Want says which numbers the quantity can be asked for at.
func (k Kind) Want() string { return k.In().String() }

// In is the domain of where it is asked for, which may be ∞ beside.
func (k Kind) In() number.Domain {
	in := k.Domain
	if k.Infinite {
		in.Want += " or inf"
	}
	return in
}

// At returns the quantity at x, nil for ∞; a *number.Error says that it has none there.
func (k Kind) At(x *big.Rat) (Quantity, error) {
	if x == nil && k.Infinite {
		return k.at(nil), nil
	}
	if !k.Domain.Contains(x) {
		return Quantity{}, &number.Error{Value: number.Format(x), Want: k.Want()}
	}
	return k.at(x), nil
}

// Parse returns the quantity at a number as it is written, rounded to the nearest float64 first if
// binary64 says so. The error is a *number.Error.
func (k Kind) Parse(s string, binary64 bool) (Quantity, error) {
	if k.Infinite && s == "inf" {
		return k.at(nil), nil
	}
	x, err := number.Parse(s)
	if err == nil && binary64 {
		x, err = number.Binary64(x)
	}
	switch {
	case err != nil && k.Infinite:
		return Quantity{}, &number.Error{Value: show.Value(s), Want: k.Want()}
	case err != nil:
		return Quantity{}, err
	}
	return k.At(x)
}

// ParseAll is Parse of several numbers.
func (k Kind) ParseAll(all []string, binary64 bool) ([]Quantity, error) {
	var out []Quantity
	for _, s := range all {
		q, err := k.Parse(s, binary64)
		if err != nil {
			return nil, err
		}
		out = append(out, q)
	}
	return out, nil
}

// ReadQuantity reads what is asked for and where, from fields that errors name with a prefix. The quantity is empty
// where r has an error.
func ReadQuantity(r *document.Reader, prefix string, named, at, alphaMin *document.Node) (name string, q Quantity) {
	const want = "delta, epsilon, renyi, tradeoff, tv or gdp"
	if named == nil {
		r.Fail(r.Missing(prefix+"quantity", want))
	}
	if r.Err != nil {
		return "", q
	}
	name = named.Text
	kind, known := KindNamed(name)
	switch {
	case !known && name != "tv":
		r.Fail(r.Invalid(prefix+"quantity", named, want))
	case alphaMin != nil && name != KindGaussianDP.Name:
		r.Fail(r.Invalid(prefix+"alpha_min", alphaMin, "no alpha_min: only gdp has one"))
	case at != nil && name == "tv":
		r.Fail(r.Invalid(prefix+"at", at, "no at: tv is δ(0)"))
	case at != nil && name == KindGaussianDP.Name:
		r.Fail(r.Invalid(prefix+"at", at, "no at: gdp has alpha_min"))
	case name == "tv":
		q = TotalVariation()
	case name == KindGaussianDP.Name:
		q = kind.Read(r, prefix+"alpha_min", alphaMin)
	default:
		q = kind.Read(r, prefix+"at", at)
	}
	return name, q
}

// Read returns the quantity at the value of a field; without one GaussianDP has a default.
func (k Kind) Read(r *document.Reader, field string, n *document.Node) Quantity {
	switch {
	case n == nil && k.Name == KindGaussianDP.Name:
		return k.at(DefaultAlphaMin)
	case n == nil:
		r.Fail(r.Missing(field, k.Want()))
	case k.Infinite && n.Kind == document.String && n.Text == "inf":
		return k.at(nil)
	}
	if x := r.Number(field, n, k.In()); x != nil {
		return k.at(x)
	}
	return Quantity{}
}
