// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package curve

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"dpverify/exact"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// CSV returns a curve with a line a point.
func (v *Curve) CSV() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,%s_lo,%s_hi,complete\n", v.Over, v.Of, v.Of)
	for i, a := range v.Values {
		lo, hi := v.Decimal(i)
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", number.Format(v.At[i]), lo, hi, strconv.FormatBool(a.Complete()))
	}
	return []byte(b.String())
}

// A Report is a curve as JSON.
type Report struct {
	Version   int             `json:"version"`
	Quantity  string          `json:"quantity"`
	Over      string          `json:"over"`
	Event     json.RawMessage `json:"event"`
	Relation  string          `json:"relation"`
	Direction string          `json:"direction"`
	Delta     string          `json:"delta,omitempty"`
	Points    []PointReport   `json:"points"`
	Methods   []string        `json:"methods"`
	Notes     []string        `json:"notes,omitempty"`
}

// A PointReport is a point of a curve as JSON.
type PointReport struct {
	At       string       `json:"at"`
	Lo       string       `json:"lo"`
	Hi       string       `json:"hi"`
	Effort   exact.Effort `json:"effort"`
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason,omitempty"`
}

// NewReport returns a curve for JSON.
func NewReport(v *Curve) Report {
	out := Report{
		Version: 1, Quantity: v.Of, Over: v.Over,
		Event: mechanism.EncodeEvent(v.Event), Relation: v.Relation.String(), Direction: v.Direction.String(),
		Methods: v.Methods(), Notes: v.Notes(),
	}
	if v.Delta != nil {
		out.Delta = number.Format(v.Delta)
	}
	for i, a := range v.Values {
		lo, hi := v.Decimal(i)
		out.Points = append(out.Points, PointReport{number.Format(v.At[i]), lo, hi, a.Effort, a.Complete(), a.Reason()})
	}
	return out
}
