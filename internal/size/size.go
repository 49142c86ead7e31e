// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package size reads sizes in bytes, with a unit or without: as the value of a flag, and to show.
package size

import (
	"errors"
	"fmt"
	"math/big"
	"strings"

	"dpverify/internal/number"
)

// Bytes is a number of bytes that a flag may have; 0 means that it has none.
type Bytes int64

// units are the units of Bytes.
var units = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, // last: they end in B, too
	{"B", 1},
}

// Want says what Set accepts.
const Want = "a size such as 300MB, 2GiB or a number of bytes"

// String is what the help shows as the default, where it is not empty.
func (m *Bytes) String() string {
	if *m == 0 {
		return ""
	}
	return fmt.Sprintf("%dB", int64(*m))
}

// Type names the value in the help.
func (*Bytes) Type() string { return "size" }

// Set reads a size: a number, and a unit after it.
func (m *Bytes) Set(s string) error {
	digits, bytes := s, int64(1)
	for _, u := range units {
		if before, ok := strings.CutSuffix(s, u.name); ok {
			digits, bytes = strings.TrimSpace(before), u.bytes
			break
		}
	}
	x, err := number.Parse(digits)
	if err != nil {
		return errors.New(Want)
	}
	x.Mul(x, new(big.Rat).SetInt64(bytes))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	if n.Sign() <= 0 || !n.IsInt64() {
		return errors.New(Want)
	}
	*m = Bytes(n.Int64())
	return nil
}
