// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package importer

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// Variances are what the variance of noise is in terms of a budget ρ.
var Variances = map[string]*big.Rat{"1/rho": big.NewRat(1, 1), "0.5/rho": big.NewRat(1, 2)}

// Budgets reads tables of budgets ρ > 0 in CSV, one for each counting query that is answered with discrete Gaussian
// noise, and 0 for a query that is not answered. A first line of names is a head. The claim is that all of them
// together give (ε, δ). The variance of the noise is a multiple of 1/ρ, which publications disagree about.
func Budgets(sources []Source, multiple *big.Rat, epsilon, delta string) (Claim, error) {
	claim := Claim{Source: "budgets of discrete Gaussian noise", Claim: point{epsilon, delta}}
	counts := make(map[string]int64)
	var budgets []*big.Rat
	var names []string
	for _, src := range sources {
		names = append(names, src.base())
		list, err := src.budgets()
		if err != nil {
			return claim, err
		}
		for _, rho := range list {
			if counts[rho.RatString()]++; counts[rho.RatString()] == 1 {
				budgets = append(budgets, rho)
			}
		}
	}
	if len(budgets) == 0 {
		return claim, errors.New("no budget above 0")
	}
	slices.SortFunc(budgets, func(x, y *big.Rat) int { return x.Cmp(y) })
	claim.ID = strings.Join(names, "-")
	var event mechanism.Composed
	for _, rho := range budgets {
		noise := mechanism.DiscreteGaussian{
			Variance: new(big.Rat).Quo(multiple, rho), Sensitivity: big.NewRat(1, 1), Dimension: 1,
		}
		event.Events = append(event.Events, mechanism.SelfComposed{Event: noise, Count: counts[rho.RatString()]})
	}
	claim.Event = mechanism.EncodeEvent(event)
	return claim, mechanism.Validate(event)
}

// budgets are the numbers above 0 of a table.
func (s Source) budgets() (out []*big.Rat, err error) {
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(s.Data, []byte("\ufeff")))) // a byte order mark
	r.FieldsPerRecord, r.TrimLeadingSpace = -1, true
	for first := true; ; first = false {
		cells, err := r.Read()
		if err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		if first && !slices.ContainsFunc(cells, isNoName) {
			continue
		}
		for i, cell := range cells {
			line, _ := r.FieldPos(i)
			x, err := number.Parse(strings.TrimSpace(cell))
			if err != nil || !number.NonNegative.Contains(x) {
				return nil, fmt.Errorf("%s:%d: field %d = %s, want a budget ρ ≥ 0", s.Name, line, i+1, show.Value(cell))
			}
			if x.Sign() > 0 {
				out = append(out, x)
			}
		}
	}
}

// isNoName reports that a cell is no name of a column, which is empty or begins with a letter; inf and NaN are numbers.
// A number in another spelling, such as 1_000, is not taken for a name, and so is not left out.
func isNoName(cell string) bool {
	cell = strings.ToLower(strings.TrimSpace(cell))
	r, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && !unicode.IsLetter(r) || slices.Contains([]string{"inf", "infinity", "nan"}, cell)
}
