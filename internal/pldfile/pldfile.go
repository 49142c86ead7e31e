// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package pldfile reads serialised privacy-loss distributions: the protocol buffer
// differential_privacy.accounting.serialization.PrivacyLossDistribution.
//
//	message ProbabilityMassFunction {
//	  optional int32 min_key = 1;
//	  repeated double values = 2;
//	  optional double infinity_mass = 3;
//	  optional double discretization_interval = 4 [default = 1e-4];
//	}
//	message PrivacyLossDistribution {
//	  optional ProbabilityMassFunction pessimistic_pmf = 1;
//	}
//
// The mass at the loss (min_key + i)·discretization_interval is values[i].
package pldfile

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A Distribution is a distribution of the privacy loss on a grid. The numbers are
// the numbers of the file, exactly.
type Distribution struct {
	MinKey   int32
	Masses   []float64 // at least one; transforms leave tiny negative ones
	Infinite float64   // with Masses, the sum is 1 but for Slack
	Interval float64   // finite and > 0, in nats
}

// The limits of what is read.
const (
	MaxBytes  = 64 << 20
	MaxMasses = 1 << 20
)

// defaultInterval is the default of the message.
const defaultInterval = 1e-4

// Parse reads a distribution. Unknown fields are skipped, as for every protocol
// buffer; of a field that is given again the last counts.
func Parse(data []byte) (*Distribution, error) {
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("longer than %d bytes", MaxBytes)
	}
	var pmf []byte
	err := fields(data, func(num protowire.Number, typ protowire.Type, value []byte) error {
		if num != 1 {
			return nil
		}
		if typ != protowire.BytesType {
			return fmt.Errorf("pessimistic_pmf has wire type %d, want %d", typ, protowire.BytesType)
		}
		// Fields of a message that is given in parts are merged: so are their bytes.
		part, _ := protowire.ConsumeBytes(value)
		pmf = append(pmf, part...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if pmf == nil {
		return nil, errors.New("pessimistic_pmf is missing: not a serialised privacy-loss distribution")
	}
	d := &Distribution{Interval: defaultInterval}
	if err := fields(pmf, d.field); err != nil {
		return nil, fmt.Errorf("pessimistic_pmf: %w", err)
	}
	return d, d.check()
}

// fields calls f for every field of a message, with its value as it is encoded.
func fields(data []byte, f func(protowire.Number, protowire.Type, []byte) error) error {
	for len(data) > 0 {
		num, typ, n := protowire.ConsumeTag(data)
		if n < 0 {
			return fmt.Errorf("not a protocol buffer: %w", protowire.ParseError(n))
		}
		data = data[n:]
		n = protowire.ConsumeFieldValue(num, typ, data)
		if n < 0 {
			return fmt.Errorf("field %d: not a protocol buffer: %w", num, protowire.ParseError(n))
		}
		if err := f(num, typ, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}

// field reads one field of the mass function.
func (d *Distribution) field(num protowire.Number, typ protowire.Type, value []byte) error {
	wrong := func(name string) error { return fmt.Errorf("%s has wire type %d", name, typ) }
	switch num {
	case 1:
		if typ != protowire.VarintType {
			return wrong("min_key")
		}
		v, _ := protowire.ConsumeVarint(value)
		key := int64(v) // negative ones are sign-extended to 64 bits
		if key < math.MinInt32 || key > math.MaxInt32 {
			return fmt.Errorf("min_key = %d, want in [%d, %d]", key, math.MinInt32, math.MaxInt32)
		}
		d.MinKey = int32(key)
	case 2:
		switch typ {
		case protowire.Fixed64Type:
			return d.add(value)
		case protowire.BytesType: // packed
			packed, _ := protowire.ConsumeBytes(value)
			if len(packed)%8 != 0 {
				return fmt.Errorf("values: %d bytes, want a multiple of 8", len(packed))
			}
			for ; len(packed) > 0; packed = packed[8:] {
				if err := d.add(packed[:8]); err != nil {
					return err
				}
			}
		default:
			return wrong("values")
		}
	case 3:
		if typ != protowire.Fixed64Type {
			return wrong("infinity_mass")
		}
		d.Infinite = double(value)
	case 4:
		if typ != protowire.Fixed64Type {
			return wrong("discretization_interval")
		}
		d.Interval = double(value)
	}
	return nil
}

func double(b []byte) float64 {
	v, _ := protowire.ConsumeFixed64(b)
	return math.Float64frombits(v)
}

func (d *Distribution) add(b []byte) error {
	if len(d.Masses) >= MaxMasses {
		return fmt.Errorf("values: more than %d", MaxMasses)
	}
	d.Masses = append(d.Masses, double(b))
	return nil
}

// check refuses what is no distribution on a grid.
func (d *Distribution) check() error {
	mass := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	if len(d.Masses) == 0 {
		return errors.New("values is empty, want at least one mass")
	}
	for i, x := range d.Masses {
		if !mass(x) {
			return fmt.Errorf("values[%d] = %v, want a finite number", i, x)
		}
	}
	if !mass(d.Infinite) {
		return fmt.Errorf("infinity_mass = %v, want a finite number", d.Infinite)
	}
	if !(d.Interval > 0) || math.IsInf(d.Interval, 1) {
		return fmt.Errorf("discretization_interval = %v, want a finite number > 0", d.Interval)
	}
	if top := int64(d.MinKey) + int64(len(d.Masses)) - 1; top > math.MaxInt32 {
		return fmt.Errorf("the index of the last of %d values is %d, want at most %d", len(d.Masses), top, math.MaxInt32)
	}
	if top := float64(d.MinKey) + float64(len(d.Masses)); math.Max(math.Abs(top),
		math.Abs(float64(d.MinKey)))*d.Interval > maxLoss {
		return fmt.Errorf("losses beyond ±%v", maxLoss)
	}
	return d.checkMass()
}

// Slack is what the rounding of those who write such files explains: by how much all
// masses together may miss 1, and how far below 0 or above 1 they may be. A transform of
// 2^20 masses in binary64, for 10^6 copies, is off by 10^6·20·2^−48 < 10^−7.
const Slack = 1e-6

// checkMass refuses masses that are not a distribution but for rounding. The sum of 2^20
// numbers whose negative ones are within Slack is off by 2^−32 of it at most, which does
// not matter here.
func (d *Distribution) checkMass() error {
	total, negative := d.Infinite, 0.0
	for i, x := range d.Masses {
		if x < -Slack || x > 1+Slack {
			return fmt.Errorf("values[%d] = %v, want in [0, 1]", i, x)
		}
		total += x
		negative += math.Min(0, x)
	}
	switch {
	case d.Infinite < -Slack || d.Infinite > 1+Slack:
		return fmt.Errorf("infinity_mass = %v, want in [0, 1]", d.Infinite)
	case negative < -Slack:
		return fmt.Errorf("the negative values sum to %v, want 0 but for rounding (%v)", negative, Slack)
	case math.Abs(total-1) > Slack:
		return fmt.Errorf("values and infinity_mass sum to %v, want 1 but for rounding (%v)", total, Slack)
	}
	return nil
}

// maxLoss bounds the losses, so that e^loss stays in the range of exponents.
const maxLoss = 1e6
