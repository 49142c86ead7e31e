// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certify

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Shard is one of Of shares of all claims, numbered from 1. The zero Shard is all of them.
type Shard struct{ K, Of int }

// ParseShard reads k/n, 1 ≤ k ≤ n. 0/n is n/n, for jobs that are counted from 0.
func ParseShard(s string) (Shard, error) {
	k, n, ok := strings.Cut(s, "/")
	var shard Shard
	var errK, errN error
	shard.K, errK = strconv.Atoi(k)
	shard.Of, errN = strconv.Atoi(n)
	if !ok || errK != nil || errN != nil || shard.K < 0 || shard.K > shard.Of || shard.Of < 1 {
		return Shard{}, fmt.Errorf("a shard k/n with 1 <= k <= n, such as 2/8")
	}
	if shard.K == 0 {
		shard.K = shard.Of
	}
	return shard, nil
}

// Has reports whether a claim is in the shard. That depends on its id alone, so that a claim
// stays where it is when others come and go; a claim without an id goes by its place.
func (s Shard) Has(c *Claim) bool {
	if s.Of <= 1 {
		return true
	}
	key := c.ID
	if key == "" {
		key = fmt.Sprintf("\x00%s:%d", c.File, c.Line)
	}
	sum := sha256.Sum256([]byte(key))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.Of) == uint64(s.K-1)
}

// Select returns the claims of the shard, in their order.
func (s Shard) Select(claims []*Claim) []*Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c *Claim) bool { return !s.Has(c) })
}
