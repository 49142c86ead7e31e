// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package ask_test

import (
	"context"
	"fmt"
	"math/big"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/mechanism"
)

// Twelve digits of δ(1) and of the least ε at δ = 10^−5.
func Example() {
	q := exact.Question{Event: mechanism.Gaussian{NoiseMultiplier: big.NewRat(1, 1)}}
	answers, err := ask.For(context.Background(), q, ask.Goal{Digits: 12}, ask.Delta(big.NewRat(1, 1)), ask.Epsilon(big.NewRat(1, 100_000)))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range answers {
		lo, hi := a.Decimal(12)
		fmt.Println(lo, hi, a.Complete())
	}
	// Output:
	// 0.126936737506 0.126936737507 true
	// 4.37717809568 4.37717809569 true
}
