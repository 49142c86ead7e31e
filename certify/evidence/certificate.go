// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package evidence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"dpverify/certify"
	"dpverify/certify/evidence/statement"
	"dpverify/certify/evidence/vector"
	"dpverify/internal/atomicfile"
	"dpverify/internal/show"
	"dpverify/mechanism"
)

// ErrNone reports a claim for which no evidence can be written: its event or form has none, or
// no grid that is tried decides it.
var ErrNone = errors.New("evidence: none can be written for this claim")

// version is the version of the form.
const version = 1

// partBits is how many bits parts of masses have after the point.
const partBits = vector.PartBits

// A certificate is evidence for a verdict: docs/certificate.md has the form.
type certificate struct {
	Version int     `json:"version"`
	Claim   string  `json:"claim"` // SHA-256 of the statement
	Verdict string  `json:"verdict"`
	Chains  []chain `json:"chains"`
}

// newCertificate returns a certificate without chains, for a claim about a reading that says text.
func newCertificate(r *statement.Reading, d mechanism.Direction, text string, v certify.Verdict) certificate {
	sum := sha256.Sum256([]byte(r.Statement(d, text)))
	return certificate{Version: version, Claim: hex.EncodeToString(sum[:]), Verdict: strings.ToUpper(string(v))}
}

// A chain is the evidence for one direction; without a grid, that δ can be computed at once.
type chain struct {
	Direction string   `json:"direction"`
	Pair      []string `json:"pair,omitempty"` // of a promise, its first masses
	Grid      *grid    `json:"grid,omitempty"`
}

// A grid is the evidence on grids: leaves and how they are composed.
type grid struct {
	Bits   uint        `json:"bits"` // masses are multiples of 2^−Bits
	Step   string      `json:"step"` // the last one
	Leaves []leaf      `json:"leaves"`
	Plan   []operation `json:"plan"`
	last   *big.Rat    // Step
}

// finest is the finest step of the leaves, and how many levels it is below the last one.
func (g *grid) finest() (step *big.Rat, levels int) {
	for _, l := range g.Leaves {
		levels = max(levels, l.Levels)
	}
	return new(big.Rat).Quo(g.last, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(levels)))), levels
}

// An operation is a step of a program for a stack of vectors: leaf pushes the leaf X at the level Y,
// dup what is on top; times composes the upper two, coarsen doubles a step, cut keeps the
// entries from X to Y − 1.
type operation struct {
	Op string `json:"op"`
	X  int    `json:"x,omitempty"`
	Y  int    `json:"y,omitempty"`
}

// A leaf is one copy of a part, on a grid whose step is the last one times 2^−Levels.
type leaf struct {
	Levels    int        `json:"levels"`
	Index     []int64    `json:"index"`
	Mass      []*big.Int `json:"mass,omitempty"`
	Part      []int64    `json:"part,omitempty"`
	Threshold []int64    `json:"threshold,omitempty"`
}

// encode is the one text of a certificate.
func (c certificate) encode() ([]byte, error) {
	data, err := json.Marshal(c)
	return append(data, '\n'), err
}

// Distinct returns an error where two claims have one file by their ids: one of the two would be lost.
func Distinct(claims []*certify.Claim, name func(id string) string) error {
	first := make(map[string]*certify.Claim)
	for _, c := range claims {
		if c.ID == "" || c.Err != nil {
			continue
		}
		file := name(c.ID)
		if o := first[file]; o != nil {
			at := func(c *certify.Claim) string {
				return fmt.Sprintf("%s of %s:%d", show.Name(show.Cut(c.ID)), show.Name(c.File), c.Line)
			}
			return fmt.Errorf("the file %s would be that of two claims, %s and %s, want other ids", show.Name(file),
				at(o), at(c))
		}
		first[file] = c
	}
	return nil
}

// WriteEach writes into a directory a file for every outcome for which there is a content, under a name by its id, and
// removes what an earlier run wrote for the others, of which the error is ErrNone; but nothing that an interruption has
// left undecided. Claims must be Distinct by these names.
func WriteEach(ctx context.Context, dir string, outcomes []*certify.Outcome, name func(id string) string,
	content func(context.Context, *certify.Outcome) ([]byte, error)) error {
	for _, out := range outcomes {
		if out == nil || out.Claim.ID == "" || out.Claim.Err != nil {
			continue
		}
		path := filepath.Join(dir, name(out.Claim.ID))
		data, err := content(ctx, out)
		switch {
		case errors.Is(err, ErrNone) && ctx.Err() != nil:
			continue
		case errors.Is(err, ErrNone):
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		case err != nil:
			return err
		}
		if err := atomicfile.Write(path, data); err != nil {
			return err
		}
	}
	return nil
}
