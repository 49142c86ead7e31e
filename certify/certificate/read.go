// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package certificate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"

	"dpverify/certify"
	"dpverify/certify/decimal"
	"dpverify/exact"
	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/mechanism"
	"dpverify/mechanism/composition"
)

// certificateFields are the fields that every certificate has.
var certificateFields = []string{"version", "id", "event", "relation", "direction", "claim", "sha256",
	"verdict", "delta", "epsilon", "methods", "effort", "precision", "notes"}

// Read reads a certificate and the claim in it. Every field must be there, in the
// spelling of Certificate.JSON but for blanks, and the certificate must agree with itself: the
// enclosures decide the claim as the verdict says, the hash is the question's, and the
// precision the effort's. Verify checks what it states about the claim.
func Read(name string, data []byte) (Certificate, *certify.Claim, error) {
	fail := func(err error) (Certificate, *certify.Claim, error) {
		return Certificate{}, nil, fmt.Errorf("%s: %w", show.Name(name), err)
	}
	if len(data) > MaxBytes {
		return fail(fmt.Errorf("longer than %d bytes", MaxBytes))
	}
	const want = "a certificate of verify certify"
	root, err := document.ParseJSON(data)
	if err != nil {
		return Certificate{}, nil, fmt.Errorf("%w, want %s", document.Locate(name, err), want)
	}
	for _, f := range certificateFields {
		v := root.Get(f)
		switch {
		case v == nil:
			return fail(fmt.Errorf("%s is missing, want %s", f, want))
		case f == "version" && v.Text != fmt.Sprint(certificateVersion):
			return fail(fmt.Errorf("version = %s, want %s, version %d", document.Shown(v), want, certificateVersion))
		}
	}
	var c Certificate
	if err := document.Unmarshal(name, data, want, &c); err != nil {
		return c, nil, err
	}
	claim, err := c.claim()
	if err != nil {
		return fail(err)
	}
	claim.File = name
	if err := errors.Join(c.consistent(claim), c.spelled(data)); err != nil {
		return fail(err)
	}
	return c, claim, nil
}

// claim returns the claim of a certificate.
func (c Certificate) claim() (*certify.Claim, error) {
	claim := &certify.Claim{ID: c.ID}
	var err error
	if claim.LessPrivate, err = canonicalEvent("event", c.Event); err != nil {
		return nil, err
	}
	claim.MorePrivate = claim.LessPrivate
	if c.MorePrivate != nil {
		if claim.MorePrivate, err = canonicalEvent("more_private_event", c.MorePrivate); err != nil {
			return nil, err
		}
		if mechanism.Equal(claim.MorePrivate, claim.LessPrivate) {
			return nil, errors.New("more_private_event is the event, want it left out")
		}
		// A refutation rests on the more private one alone.
		if err := composition.Corners(claim.MorePrivate, claim.LessPrivate); err != nil {
			return nil, fmt.Errorf("more_private_event and event %w", err)
		}
	}
	if claim.Relation, err = mechanism.ParseRelation(c.Relation); err != nil {
		return nil, err
	}
	if claim.Direction, err = mechanism.ParseDirection(c.Direction); err != nil {
		return nil, err
	}
	s := certify.Point{Written: [2]string{c.Claim.Epsilon, c.Claim.Delta}}
	for _, f := range []struct {
		name, text string
		domain     number.Domain
		into       **big.Rat
	}{{"claim.epsilon", c.Claim.Epsilon, number.Any, &s.Epsilon}, {"claim.delta", c.Claim.Delta,
		number.Probability, &s.Delta}} {
		x, err := number.Parse(f.text)
		if err != nil || !f.domain.Contains(x) || number.Format(x) != f.text {
			return nil, fmt.Errorf("%s = %s, want %s, in its shortest spelling", f.name, show.Value(f.text), f.domain)
		}
		*f.into = x
	}
	claim.Statement = s
	return claim, nil
}

// canonicalEvent reads an event that is spelled as certificates spell it.
func canonicalEvent(field string, data json.RawMessage) (mechanism.Event, error) {
	e, err := mechanism.DecodeEvent(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, data); err != nil {
		return nil, err
	}
	if want := mechanism.EncodeContents(e); !bytes.Equal(compact.Bytes(), want) {
		return nil, fmt.Errorf("%s = %s, want it spelled as %s", field, show.Name(show.Cut(compact.String())),
			show.Name(show.Cut(string(want))))
	}
	return e, nil
}

// spelled checks that data are the certificate as JSON writes it, but for blanks.
func (c Certificate) spelled(data []byte) error {
	want, err := c.JSON()
	var x, y bytes.Buffer
	if err := errors.Join(err, json.Compact(&x, data), json.Compact(&y, want)); err != nil {
		return err
	}
	a, b := x.Bytes(), y.Bytes()
	if bytes.Equal(a, b) {
		return nil
	}
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	near := func(s []byte) string { return show.Name(string(s[max(0, i-20):min(len(s), i+20)])) }
	return fmt.Errorf("…%s…, want it as verify certify writes it: …%s…", near(a), near(b))
}

// consistent checks that the certificate agrees with itself.
func (c Certificate) consistent(claim *certify.Claim) error {
	if want := c.digest(); c.SHA256 != want {
		return fmt.Errorf("sha256 = %s, want the hash of the event, the claim and the fields between them, %s",
			show.Quote(c.SHA256), want)
	}
	if c.Effort < 0 || c.Effort > exact.MaxEffort {
		return fmt.Errorf("effort = %d, want an integer in [0, %d]", c.Effort, exact.MaxEffort)
	}
	if want := uint(c.Effort.Bits()); c.Precision != want {
		return fmt.Errorf("precision = %d, want the %d bits of effort %d", c.Precision, want, c.Effort)
	}
	if c.MaxMemory < 0 {
		return fmt.Errorf("max_memory = %d, want an integer >= 0", c.MaxMemory)
	}
	for _, f := range []struct {
		name   string
		bounds certify.Bounds
		upTo   string // from 0
	}{{"delta", c.Delta, "1"}, {"epsilon", c.Epsilon, "inf"}} {
		x, err := decimal.ParseEnds(f.bounds.Lo, f.bounds.Hi)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if all, _ := decimal.ParseEnds("0", f.upTo); !all.Contain(x) || x.Lo.Cmp(x.Hi) > 0 {
			return fmt.Errorf("%s = [%s, %s], want lo <= hi in [0, %s]", f.name, show.Cut(f.bounds.Lo),
				show.Cut(f.bounds.Hi), f.upTo)
		}
	}
	delta := claim.Statement.(certify.Point).Delta
	switch {
	case c.Verdict == certify.Verified && decimal.Compare(c.Delta.Hi, delta) > 0:
		return fmt.Errorf("the enclosure of δ, [%s, %s], does not verify the claim δ <= %s", c.Delta.Lo, c.Delta.Hi,
			c.Claim.Delta)
	case c.Verdict == certify.Refuted && decimal.Compare(c.Delta.Lo, delta) <= 0:
		return fmt.Errorf("the enclosure of δ, [%s, %s], does not refute the claim δ <= %s", c.Delta.Lo, c.Delta.Hi,
			c.Claim.Delta)
	case c.Verdict != certify.Verified && c.Verdict != certify.Refuted:
		return fmt.Errorf("verdict = %s, want verified or refuted", show.Value(string(c.Verdict)))
	}
	return nil
}

// Files returns files, and the files of directories in the order of their names.
func Files(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if i, err := os.Stat(arg); err != nil || !i.IsDir() {
			files = append(files, arg) // what cannot be read is said of each
			continue
		}
		entries, err := os.ReadDir(arg)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".json" && !e.IsDir() {
				files = append(files, filepath.Join(arg, e.Name()))
			}
		}
	}
	return files, nil
}
