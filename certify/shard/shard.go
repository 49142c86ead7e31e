// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package shard divides the claims of a run among several processes, and puts their reports together.
package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"dpverify/certify"
)

// A Shard is one of Of shares of all claims, numbered from 1. The zero Shard is all of them.
type Shard struct{ K, Of int }

// Parse reads k/n, 1 ≤ k ≤ n. 0/n is n/n, for jobs that are counted from 0.
func Parse(s string) (Shard, error) {
	k, n, ok := strings.Cut(s, "/")
	var out Shard
	var errK, errN error
	out.K, errK = strconv.Atoi(k)
	out.Of, errN = strconv.Atoi(n)
	if !ok || errK != nil || errN != nil || out.K < 0 || out.K > out.Of || out.Of < 1 {
		return Shard{}, fmt.Errorf("a shard k/n with 1 <= k <= n, such as 2/8, or 0/8 for 8/8")
	}
	if out.K == 0 {
		out.K = out.Of
	}
	return out, nil
}

// Has reports whether a claim is in the shard. That depends on its id alone, so that a claim
// stays where it is when others come and go; a claim without an id goes by its place.
func (s Shard) Has(c *certify.Claim) bool {
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
func (s Shard) Select(claims []*certify.Claim) []*certify.Claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c *certify.Claim) bool { return !s.Has(c) })
}
