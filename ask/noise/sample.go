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
