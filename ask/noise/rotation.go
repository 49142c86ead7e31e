// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"

	"dpverify/internal/number"
)

// A Rotation draws vectors of d entries with a distribution that no rotation changes: a sample of additive noise
// is the radius, its sign included, and the direction is even on the unit sphere [Sommer, Abfalterer,
// Zingg & Mohammadi 2021, §4.4, with Muller 1959: d normal numbers over their norm].
//
// The δ(ε) of the additive noise does not hold of it for d ≥ 2: the density of such a vector is the density of the
// radius over
// |x|^(d−1), which has no bound at 0. Package optimum bounds δ(ε) of it from below (Rotated), and docs/noise.md has an
// example. The entries are float64, so that not even their distribution is exact: for experiments, not for releases.
type Rotation struct {
	radius *Sampler
	cell   float64
	d      int
}

// MaxDimension bounds the entries of a vector.
const MaxDimension = 1 << 20

// NewRotation returns vectors of d entries whose radii a sampler draws, of noise on cells of the given width.
func NewRotation(radius *Sampler, cell *big.Rat, d int) (*Rotation, error) {
	if d < 1 || d > MaxDimension {
		return nil, fmt.Errorf("noise: dimension = %d, want an integer in [1, %d]", d, MaxDimension)
	}
	return &Rotation{radius, number.Float64(cell), d}, nil
}

// Next draws a vector.
func (r *Rotation) Next() ([]float64, error) {
	for {
		x, err := r.direction()
		if err != nil {
			return nil, err
		}
		norm := 0.0
		for _, y := range x {
			norm = math.Hypot(norm, y)
		}
		if norm == 0 {
			continue // of probability 0, but for rounding
		}
		s, err := r.radius.Next()
		if err != nil {
			return nil, err
		}
		radius := (float64(s.Cell) + float64(s.Offset)/(1<<OffsetBits)) * r.cell
		for i := range x {
			x[i] *= radius / norm
		}
		return x, nil
	}
}

// direction returns d standard normal numbers, by pairs [Box & Muller 1958].
func (r *Rotation) direction() ([]float64, error) {
	x := make([]float64, 0, r.d+1)
	for len(x) < r.d {
		u, err := r.uniform()
		if err != nil {
			return nil, err
		}
		v, err := r.uniform()
		if err != nil {
			return nil, err
		}
		length := math.Sqrt(-2 * math.Log(u))
		sin, cos := math.Sincos(2 * math.Pi * v)
		x = append(x, length*cos, length*sin)
	}
	return x[:r.d], nil
}

// uniform returns a number in (0, 1), the middle of one of 2^53 even parts.
func (r *Rotation) uniform() (float64, error) {
	var b [8]byte
	if _, err := io.ReadFull(r.radius.random, b[:]); err != nil {
		return 0, err
	}
	return (float64(binary.LittleEndian.Uint64(b[:])>>11) + 0.5) / (1 << 53), nil
}
