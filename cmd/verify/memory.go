// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/number"

	"github.com/spf13/cobra"
)

// A memorySize is the value of --max-memory, in bytes; 0 means no limit.
type memorySize int64

// memoryUnits are the units of a memorySize.
var memoryUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, // last: they end in B, too
	{"B", 1},
}

const wantMemory = "a size such as 300MB, 2GiB or a number of bytes"

func registerMemory(c *cobra.Command, m *memorySize) {
	c.Flags().Var(m, "max-memory", "leave out methods of which one step needs more, for example 300MB or 2GiB (default: no limit)")
}

// String is what the help shows as the default, where it is not empty.
func (m *memorySize) String() string {
	if *m == 0 {
		return ""
	}
	return fmt.Sprintf("%dB", int64(*m))
}

// Type names the value in the help.
func (*memorySize) Type() string { return "size" }

// Set reads a size: a number, and a unit after it.
func (m *memorySize) Set(s string) error {
	digits, bytes := s, int64(1)
	for _, u := range memoryUnits {
		if before, ok := strings.CutSuffix(s, u.name); ok {
			digits, bytes = strings.TrimSpace(before), u.bytes
			break
		}
	}
	x, err := number.Parse(digits)
	if err != nil {
		return errors.New(wantMemory)
	}
	x.Mul(x, new(big.Rat).SetInt64(bytes))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if n.Sign() <= 0 || !n.IsInt64() {
		return errors.New(wantMemory)
	}
	*m = memorySize(n.Int64())
	return nil
}
