// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package noise

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	mathrand "math/rand/v2"
	"strconv"

	"dpverify/internal/number"
	"dpverify/mechanism"
)

// OffsetBits is the precision of the place inside of a cell.
const OffsetBits = 53

// A Sample is the point (Cell + Offset/2^OffsetBits)·Δ of a density on cells of width Δ, and
// Cell·Δ of a lattice: integers, so that nothing is rounded.
type Sample struct {
	Cell   int64
	Offset uint64 // < 2^OffsetBits; 0 of a lattice
}

// A Sampler draws from additive noise, exactly: cell i has probability k_i/2^b for the integers
// k_i of the event, whatever is drawn before.
//
// Inversion: with the partial sums c_i = k_0 + … + k_i, the uniform integer u < 2^b is in cell
// min{i : u < c_i}, of probability (c_i − c_{i−1})/2^b. Nothing is rejected, so that each sample takes as
// many random bits; a table of where the leading bits of u begin saves the search, and
// changes nothing.
type Sampler struct {
	random io.Reader
	first  int64 // cell
	sums   []uint128
	guide  []int32 // guide[g]: the least i with c_i > g·2^(128−guideBits)
	offset bool
	buf    [3 * 8]byte
}

// guideBits is the size of the table of leading bits.
const guideBits = 14

// A uint128 is hi·2^64 + lo.
type uint128 struct{ hi, lo uint64 }

func (a uint128) less(b uint128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

// NewSampler returns a sampler that takes its bits from random, which has to be a
// cryptographic source where privacy depends on it. The masses have to be multiples of 2^−128.
func NewSampler(e mechanism.AdditiveNoise, random io.Reader) (*Sampler, error) {
	n := len(e.Probabilities)
	if n == 0 {
		return nil, errors.New("noise: no masses")
	}
	s := &Sampler{random: bufio.NewReaderSize(random, 1<<14), first: -int64(n / 2), offset: e.Kind == mechanism.Density}
	sum, word := new(big.Int), new(big.Int).SetUint64(1<<64-1)
	all := new(big.Int).Lsh(big.NewInt(1), 128)
	for i, p := range e.Probabilities {
		d := p.Denom()
		twos := d.TrailingZeroBits()
		if d.BitLen() != int(twos)+1 || twos > 128 {
			return nil, fmt.Errorf("noise: the mass of cell %d is %s, want a multiple of 2^−128: round masses first",
				int64(i)+s.first, p.RatString())
		}
		// Past the last cell of positive mass there is nothing: it gets all that is left of u.
		if sum.Cmp(all) < 0 {
			sum.Add(sum, new(big.Int).Lsh(p.Num(), 128-twos))
			s.sums = append(s.sums, uint128{new(big.Int).Rsh(sum, 64).Uint64(), new(big.Int).And(sum, word).Uint64()})
		}
	}
	if sum.Cmp(all) != 0 {
		return nil, errors.New("noise: the sum of all masses is not 1")
	}
	s.fillGuide()
	return s, nil
}

func (s *Sampler) fillGuide() {
	i := 0
	for g := range uint64(1 << guideBits) {
		u := uint128{g << (64 - guideBits), 0}
		for i < len(s.sums)-1 && !u.less(s.sums[i]) {
			i++
		}
		s.guide = append(s.guide, int32(i))
	}
}

// Next draws one sample. The error is one of the source.
func (s *Sampler) Next() (Sample, error) {
	if _, err := io.ReadFull(s.random, s.buf[:]); err != nil {
		return Sample{}, err
	}
	u := uint128{binary.LittleEndian.Uint64(s.buf[:]), binary.LittleEndian.Uint64(s.buf[8:])}
	i := int(s.guide[u.hi>>(64-guideBits)])
	for i < len(s.sums)-1 && !u.less(s.sums[i]) {
		i++
	}
	out := Sample{Cell: s.first + int64(i)}
	if s.offset {
		out.Offset = binary.LittleEndian.Uint64(s.buf[16:]) >> (64 - OffsetBits)
	}
	return out, nil
}

// Rat returns the value of a sample of noise with cells of the given width, exactly.
func (x Sample) Rat(cell *big.Rat) *big.Rat {
	n := new(big.Int).Lsh(big.NewInt(x.Cell), OffsetBits)
	n.Add(n, new(big.Int).SetUint64(x.Offset))
	v := new(big.Rat).SetFrac(n, new(big.Int).Lsh(big.NewInt(1), OffsetBits))
	return v.Mul(v, cell)
}

// Text returns the value of a sample, exactly: a decimal, or a fraction where no decimal is exact.
func (x Sample) Text(cell *big.Rat) string { return number.Format(x.Rat(cell)) }

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
