// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package certificate writes down how a claim (ε, δ) was decided, reads that again, and checks it: by the same
// decision, and by other methods or at another precision.
package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"dpverify/certify"
	"dpverify/exact"
	"dpverify/exact/interval"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// certificateVersion is the version of the form of certificates.
const certificateVersion = 2

// A Certificate is all that it takes to repeat the decision of a claim (ε, δ): it
// names no other file. It holds nothing that depends on the clock, and nothing that
// Verify does not compute again.
type Certificate struct {
	Version int `json:"version"`
	certifiedQuestion
	SHA256 string `json:"sha256"` // of the JSON of the question, without blanks

	Verdict   certify.Verdict `json:"verdict"`
	Delta     certify.Bounds  `json:"delta"`   // encloses δ at the claimed ε
	Epsilon   certify.Bounds  `json:"epsilon"` // encloses max(0, least ε) at the claimed δ
	Methods   []string        `json:"methods"`
	Effort    exact.Effort    `json:"effort"`
	Precision uint            `json:"precision"` // bits of the working precision
	Notes     []string        `json:"notes"`
}

// A certifiedQuestion is what a certificate answers.
type certifiedQuestion struct {
	ID          string          `json:"id"`
	Event       json.RawMessage `json:"event"` // with the contents of the files that it named
	MorePrivate json.RawMessage `json:"more_private_event,omitempty"`
	Relation    string          `json:"relation"`
	Direction   string          `json:"direction"`
	Claim       CertifiedClaim  `json:"claim"`
	// bytes that one step of a method was allowed; 0 for no limit
	MaxMemory int64 `json:"max_memory,omitempty"`
}

// A CertifiedClaim is the claim δ(Epsilon) ≤ Delta, in exact numbers.
type CertifiedClaim struct {
	Epsilon string `json:"epsilon"`
	Delta   string `json:"delta"`
}

// New returns the certificate of an outcome; false if there is none,
// because the claim is not decided, or not of the form (ε, δ), or not by the enclosure of δ,
// on which certificates rest, or because the time ended before the least ε was enclosed, or
// because a certificate would not say which probabilities the answer covers.
func New(o *certify.Outcome) (Certificate, bool) {
	c := o.Claim
	s, ok := c.Point()
	if !ok || !o.Repeatable() || o.Verdict != certify.Verified && o.Verdict != certify.Refuted || o.Delta == nil ||
		o.Epsilon == nil ||
		o.Delta.LessEqRat(s.Delta) == interval.Unknown {
		return Certificate{}, false
	}
	cert := Certificate{
		Version: certificateVersion,
		certifiedQuestion: certifiedQuestion{
			ID: c.ID, Event: mechanism.EncodeContents(c.LessPrivate), Relation: c.Relation.String(),
			Direction: c.Direction.String(),
			Claim:     CertifiedClaim{number.Format(s.Epsilon), number.Format(s.Delta)},
			MaxMemory: o.MaxMemory,
		},
		Verdict: o.Verdict, Delta: certified(o.Delta, s.Delta), Epsilon: certified(o.LeastEpsilon(), s.Epsilon),
		Methods: append([]string{}, o.Methods...), Effort: o.Effort, Precision: uint(o.Effort.Bits()),
		Notes: append([]string{}, o.Notes...),
	}
	if !mechanism.Equal(c.MorePrivate, c.LessPrivate) {
		cert.MorePrivate = mechanism.EncodeContents(c.MorePrivate)
	}
	cert.SHA256 = cert.digest()
	return cert, true
}

// certified is newBounds, but the claimed number itself where that is known to be the
// value: a fraction such as 1/3 is at most 1/3, and no decimal above it says so.
func certified(e *exact.Enclosure, claimed *big.Rat) certify.Bounds {
	if e.Value != nil && e.Value.Cmp(claimed) == 0 {
		s := number.Format(claimed)
		return certify.Bounds{Lo: s, Hi: s}
	}
	return *certify.NewBounds(e, claimed)
}

// digest returns the SHA-256 of the question.
func (q certifiedQuestion) digest() string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(q); err != nil {
		panic(fmt.Sprintf("certificate: internal error: %v", err)) // it was JSON before
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))
}

// FileName is a name for the certificate that is safe on all file systems and differs
// for different claims.
func (c Certificate) FileName() string {
	slug := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, c.ID)
	const most = 60
	if len(slug) > most {
		slug = slug[:most]
	}
	return slug + "-" + c.SHA256[:12] + ".json"
}

// JSON returns the certificate as indented JSON that ends with a newline.
func (c Certificate) JSON() ([]byte, error) {
	return document.Indented(c)
}

// MaxBytes bounds a certificate.
const MaxBytes = 256 << 20
