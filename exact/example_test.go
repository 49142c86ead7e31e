// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact_test

import (
	"context"
	"fmt"
	"log"
	"math/big"

	"dpverify/exact"
	"dpverify/mechanism"
)

// The δ of a Gaussian mechanism with noise as large as the sensitivity, at ε = 1. More
// effort gives more digits.
func ExampleDelta() {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	r, err := exact.Delta(context.Background(), q, big.NewRat(1, 1), 0)
	if err != nil {
		log.Fatal(err)
	}
	lo, hi := r.Decimal(10)
	fmt.Printf("δ(1) lies in [%s, %s]\n", lo, hi)
	// Output:
	// δ(1) lies in [0.1269367375, 0.1269367376]
}

// The least ε of twenty Laplace mechanisms at δ = 1e-5, to about 40 bits.
func ExampleEpsilon() {
	event, err := mechanism.DecodeEvent([]byte(`{
		"class_name": "SelfComposedDpEvent",
		"count": 20,
		"event": {"class_name": "LaplaceDpEvent", "noise_multiplier": 10}
	}`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := exact.Epsilon(context.Background(), exact.Question{Event: event}, big.NewRat(1, 100_000), 40, 0)
	if err != nil {
		log.Fatal(err)
	}
	lo, hi := r.Decimal(8)
	fmt.Printf("ε lies in [%s, %s]\n", lo, hi)
	// Output:
	// ε lies in [1.5922295, 1.5922296]
}

// One profile answers many questions.
func ExamplePrepare() {
	ctx := context.Background()
	q := exact.Question{
		Event:     mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 2), Delta: big.NewRat(1, 1000)},
		Relation:  mechanism.ReplaceOne,
		Direction: mechanism.Both,
	}
	p, err := exact.Prepare(ctx, q, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, eps := range []*big.Rat{new(big.Rat), big.NewRat(1, 4), big.NewRat(1, 2)} {
		r, err := p.Delta(ctx, eps)
		if err != nil {
			log.Fatal(err)
		}
		lo, hi := r.Decimal(5)
		fmt.Println(eps.RatString(), lo, hi)
	}
	// Output:
	// 0 0.24567 0.24568
	// 1/4 0.13854 0.13855
	// 1/2 0.001 0.001
}
