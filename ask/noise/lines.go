// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"math/big"
	mathrand "math/rand/v2"
	"strconv"
)

// Source returns the operating system's cryptographic source of bits, or, for a seed that is not empty, bits that
// are the same every time, which are for tests and for no release.
func Source(seed string) (io.Reader, error) {
	if seed == "" {
		return rand.Reader, nil
	}
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("seed = %q, want an integer in [0, 2^64)", seed)
	}
	var key [32]byte
	new(big.Int).SetUint64(n).FillBytes(key[:])
	return mathrand.NewChaCha8(key), nil
}

// WriteLines writes count lines as they come, until ctx ends.
func WriteLines(ctx context.Context, w io.Writer, count int64, line func() (string, error)) (err error) {
	out := bufio.NewWriter(w)
	defer func() { err = errors.Join(err, out.Flush()) }()
	for i := range count {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		x, err := line()
		if err != nil {
			return err
		}
		if _, err := out.WriteString(x + "\n"); err != nil {
			return err
		}
	}
	return nil
}
