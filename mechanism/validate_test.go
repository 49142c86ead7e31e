// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package mechanism_test

import (
	"math/big"
	"math/rand"
	"reflect"
	"testing"

	"dpverify/internal/testkit"
	"dpverify/internal/testkit/events"
	"dpverify/mechanism"
)

// spoiled returns an event of which one field, or one of an event inside, has a value that it may not have.
func spoiled(rng *rand.Rand, e mechanism.Event) mechanism.Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	if v.NumField() == 0 {
		return nil
	}
	switch f := v.Field(rng.Intn(v.NumField())); x := f.Interface().(type) {
	case *big.Rat:
		huge := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 40000))
		f.Set(reflect.ValueOf([]*big.Rat{nil, new(big.Rat), big.NewRat(-1, 1), big.NewRat(2, 1), huge, new(big.Rat).Inv(huge)}[rng.Intn(6)]))
	case int64:
		f.SetInt([]int64{-1, 0, 1, mechanism.MaxTrials + 1, mechanism.MaxCount, mechanism.MaxCount + 1}[rng.Intn(6)])
	case mechanism.Event:
		if x = spoiled(rng, x); x != nil && rng.Intn(8) > 0 {
			f.Set(reflect.ValueOf(x))
		} else {
			f.SetZero()
		}
	case mechanism.Strategy:
		x.Steps -= rng.Int63n(3)
		x.Entries = append([]mechanism.Entry{{Row: rng.Int63n(3), Column: rng.Int63n(3) - 1, Value: big.NewRat(1, 1)}}, x.Entries...)
		f.Set(reflect.ValueOf(x))
	default:
		switch {
		case f.Kind() == reflect.Slice && f.Len() > 0 && rng.Intn(2) == 0:
			list := reflect.MakeSlice(f.Type(), f.Len(), f.Len())
			reflect.Copy(list, f)
			list.Index(rng.Intn(f.Len())).SetZero()
			f.Set(list)
		case f.Kind() == reflect.Slice && f.Len() > 0:
			f.Set(f.Slice(0, f.Len()-1))
		case f.Kind() == reflect.Int:
			f.SetInt(rng.Int63n(4) - 1)
		}
	}
	return v.Interface().(mechanism.Event)
}

// TestFieldsAcceptWhatTheDecoderReads: an event is valid by its fields if and only if the decoder reads what it is
// written as.
func TestFieldsAcceptWhatTheDecoderReads(t *testing.T) {
	rng := events.Rand(31)
	valid, invalid := 0, 0
	cases := testkit.Cases(500, 1500)
	for range cases {
		e := events.Random(rng, 2)
		if rng.Intn(4) > 0 {
			e = spoiled(rng, e)
		}
		_, err := mechanism.DecodeEvent(mechanism.EncodeContents(e))
		if got := mechanism.FieldsAreValid(e); got != (err == nil) {
			t.Fatalf("%s: the fields are valid: %v, and the decoder: %v", mechanism.EncodeContents(e), got, err)
		}
		if err == nil {
			valid++
		} else {
			invalid++
		}
	}
	if min(valid, invalid) < cases/8 {
		t.Errorf("%d valid events and %d invalid ones", valid, invalid)
	}
}

// BenchmarkValidate: every question pays it.
func BenchmarkValidate(b *testing.B) {
	rng := events.Rand(1)
	var es []mechanism.Event
	for range 1000 {
		es = append(es, events.Random(rng, 2))
	}
	sgd, err := mechanism.DecodeEvent([]byte(`{"class_name":"SelfComposedDpEvent","count":1000,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1.1"}}}`))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("dpsgd", func(b *testing.B) {
		for b.Loop() {
			if err := mechanism.Validate(sgd); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("random", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := mechanism.Validate(es[i%len(es)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}
