// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"dpverify/certify"
)

// Claims are read from YAML or JSON and decided one by one.
func Example() {
	const file = `
version: 1
claims:
  - id: enough
    event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}
    claim: {epsilon: 4, delta: 1e-5}
  - id: too little
    event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}
    claim: {epsilon: 3.9, delta: 1e-5}
`
	claims, err := certify.Read(context.Background(), strings.NewReader(file), "claims.yaml", ".")
	if err != nil {
		log.Fatal(err)
	}
	for _, claim := range claims {
		out, err := certify.Decide(context.Background(), claim, certify.Options{})
		if err != nil {
			log.Fatal(err)
		}
		lo, hi := out.Epsilon.Decimal(6)
		fmt.Printf("%s: %s, the least ε lies in [%s, %s]\n", claim.ID, out.Verdict, lo, hi)
	}
	// Output:
	// enough: verified, the least ε lies in [3.92125, 3.92126]
	// too little: refuted, the least ε lies in [3.92125, 3.92126]
}
