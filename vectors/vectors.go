// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package vectors holds test vectors for privacy accounting: questions about differentially
// private mechanisms with enclosures of the answers, as JSON files that a test in any
// language reads without this program. They are made after the model of Wycheproof's for
// cryptography: a test has flags, and a flag names a way in which accountants have failed.
//
//	lo ≤ truth ≤ hi    for every test, both ends being decimals
//
// An upper bound is sound if it is at least lo, and tight to a tolerance τ if it is at most
// hi·(1 + τ). A lower bound is sound if it is at most hi. An estimate is right if it lies in
// [lo, hi]. [Test] has a method for each.
//
// `verify vectors` writes, checks and lints the files. docs/vectors.md describes them.
package vectors

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/big"
	"strings"
)

//go:embed v1/*.json
var embedded embed.FS

// V1 returns the files of version 1, each a [File] in JSON.
func V1() fs.FS {
	v1, err := fs.Sub(embedded, "v1")
	if err != nil {
		panic("vectors: internal error: " + err.Error())
	}
	return v1
}

// SchemaName is the name of the schema in docs/schema that a file is written by.
const SchemaName = "vectors.schema.json"

// A File holds tests of one kind of event and one quantity.
type File struct {
	Algorithm     string          `json:"algorithm"` // the kind of event, as in the name of the file
	Quantity      string          `json:"quantity"`
	Schema        string          `json:"schema"`
	Header        []string        `json:"header"`
	NumberOfTests int             `json:"numberOfTests"`
	Notes         map[string]Note `json:"notes"` // by flag; exactly the flags that tests of the file have
	Groups        []Group         `json:"testGroups"`
}

// A Note says what a flag means.
type Note struct {
	BugType     string   `json:"bugType"`
	Description string   `json:"description"`
	Effect      string   `json:"effect"`
	Links       []string `json:"links,omitempty"`
}

// A Group holds tests that have something in common.
type Group struct {
	Comment string `json:"comment"`
	Tests   []Test `json:"tests"`
}

// A Test is a question and an enclosure of its answer.
type Test struct {
	TcID      string          `json:"tcId"` // see ID
	Comment   string          `json:"comment"`
	Flags     []string        `json:"flags"`
	Event     json.RawMessage `json:"event"`
	Relation  string          `json:"relation"`
	Direction string          `json:"direction"`
	Quantity  string          `json:"quantity"`
	// the ε of a δ, the δ of an ε, the order of a Rényi divergence, the type I error
	At string `json:"at"`
	// binary64: every number of the event, and at, is rounded to the nearest float64 first
	NumberFormat string `json:"number_format"`
	Lo           string `json:"lo"` // rounded down; "inf" and "-inf" are infinite
	Hi           string `json:"hi"` // rounded up
}

// ID derives the tcId of a test from its question: it stays what it is when files are
// written anew, in another order or with sharper enclosures.
func (t Test) ID() (string, error) {
	event, err := canonical(t.Event)
	if err != nil {
		return "", fmt.Errorf("vectors: the event of test %s: %w", t.TcID, err)
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{event, t.Relation, t.Direction, t.Quantity, t.At,
		t.NumberFormat}, "\n")))
	return hex.EncodeToString(sum[:4]), nil
}

// canonical writes JSON without blanks and with sorted keys; numbers keep their spelling.
func canonical(text json.RawMessage) (string, error) {
	var tree any
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return "", err
	}
	out, err := json.Marshal(tree)
	return string(out), err
}

// Read reads all files of a folder, sorted by name.
func Read(folder fs.FS) (names []string, files []File, err error) {
	if names, err = fs.Glob(folder, "*.json"); err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		return nil, nil, fmt.Errorf("vectors: no file *.json")
	}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, nil, err
		}
		f, err := Parse(data)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		files = append(files, f)
	}
	return names, files, nil
}

// Parse reads a file. A field that files do not have is an error.
func Parse(data []byte) (File, error) {
	var f File
	dec := json.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("vectors: %w", err)
	}
	if dec.More() {
		return f, fmt.Errorf("vectors: text after the object, want one object")
	}
	return f, nil
}

// SoundUpper reports whether x is an upper bound of the truth, as far as the enclosure
// tells: false means that x is below the truth.
func (t Test) SoundUpper(x *big.Rat) (bool, error) { return t.atLeast(x, t.Lo) }

// SoundLower reports whether x is a lower bound of the truth, as far as the enclosure
// tells: false means that x is above the truth.
func (t Test) SoundLower(x *big.Rat) (bool, error) {
	above, err := t.atLeast(x, t.Hi)
	if err != nil {
		return false, err
	}
	hi, infinite, err := bound(t.Hi)
	return !above || infinite == 0 && x.Cmp(hi) == 0, err
}

// Tight reports whether x ≤ hi + τ·|hi|: an upper bound that is sound and tight misses the
// truth by a share of τ and the width of the enclosure at most.
func (t Test) Tight(x, tau *big.Rat) (bool, error) {
	hi, infinite, err := bound(t.Hi)
	if err != nil || infinite != 0 {
		return infinite > 0, err
	}
	slack := new(big.Rat).Abs(hi)
	slack.Mul(slack, tau)
	return x.Cmp(slack.Add(hi, slack)) <= 0, nil
}

// Right reports whether x lies in [lo, hi].
func (t Test) Right(x *big.Rat) (bool, error) {
	upper, err := t.SoundUpper(x)
	if err != nil || !upper {
		return false, err
	}
	return t.SoundLower(x)
}

// atLeast reports x ≥ b.
func (t Test) atLeast(x *big.Rat, b string) (bool, error) {
	y, infinite, err := bound(b)
	if err != nil || infinite != 0 {
		return infinite < 0, err
	}
	return x.Cmp(y) >= 0, nil
}

// bound reads an end of an enclosure; infinite is the sign of an infinite one.
func bound(s string) (x *big.Rat, infinite int, err error) {
	switch s {
	case "inf":
		return nil, 1, nil
	case "-inf":
		return nil, -1, nil
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok || strings.ContainsAny(s, "/_xXpPoObB") {
		return nil, 0, fmt.Errorf("vectors: a bound = %q, want a decimal, inf or -inf", s)
	}
	return x, 0, nil
}
