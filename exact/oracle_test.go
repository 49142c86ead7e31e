// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package exact

import (
	"bufio"
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpverify/exact/interval"
	"dpverify/internal/number"
	"dpverify/mechanism"
)

// An oracleCase is a value from outside: |printed| ≤ |true| < |printed| + one unit
// of its last digit, or equality.
type oracleCase struct {
	ID        string          `json:"id"`
	Event     json.RawMessage `json:"event"`
	Relation  string          `json:"relation"`
	Direction string          `json:"direction"`
	Quantity  string          `json:"quantity"`
	At        string          `json:"at"`
	Value     string          `json:"value"`
	Exact     bool            `json:"exact"`

	Provenance json.RawMessage `json:"provenance"`
}

func readOracle(t testing.TB, path string) []oracleCase {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []oracleCase
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		if strings.TrimSpace(s.Text()) == "" {
			continue
		}
		var c oracleCase
		if err := json.Unmarshal(s.Bytes(), &c); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if c.Provenance == nil {
			out = append(out, c)
		}
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s: no cases", path)
	}
	return out
}

// enclosure returns the bounds of a case on the truth.
func (c oracleCase) enclosure(t testing.TB) interval.Interval {
	switch c.Value {
	case "inf":
		return posInf
	case "-inf":
		return negInf
	}
	v, err := number.Parse(c.Value)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	const p = interval.Prec(400)
	x := p.Rat(v)
	if c.Exact {
		return x
	}
	// One unit of the last digit, away from 0.
	m, e, _ := strings.Cut(c.Value, "e")
	unit := strings.Map(func(r rune) rune {
		if r >= '1' && r <= '9' {
			return '0'
		}
		return r
	}, m[:len(m)-1]) + "1"
	if e != "" {
		unit += "e" + e
	}
	u, err := number.Parse(unit)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return interval.Union(x, p.Rat(new(big.Rat).Add(v, u)))
}

func (c oracleCase) question(t testing.TB) Question {
	t.Helper()
	e, err := mechanism.DecodeEvent(c.Event)
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	q := Question{Event: e}
	if c.Relation != "" {
		if q.Relation, err = mechanism.ParseRelation(c.Relation); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	if q.Direction, err = mechanism.ParseDirection(c.Direction); err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	return q
}

// TestOracle compares with values from outside at several efforts: an enclosure
// must meet the outside one, and be narrow where the family promises it.
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("../testdata/golden/oracle/privacy/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("no oracle files: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases := readOracle(t, file)
			// Every how many cases one is asked, per effort.
			every := []int{181, 40, 181}
			switch {
			case os.Getenv("DPVERIFY_LONG") != "":
				every = []int{3, 1, 3}
			case testing.Short():
				every = []int{0, 7, 0}
			}
			for i, n := range every {
				if n == 0 {
					continue
				}
				e := Effort(i)
				prepared := map[string]*Profile{}
				asked, narrow, slowest := 0, 0, time.Duration(0)
				var slow string
				for j, c := range cases {
					if j%n != 0 {
						continue
					}
					asked++
					start := time.Now()
					q := c.question(t)
					key := string(c.Event) + c.Relation + c.Direction
					p := prepared[key]
					if p == nil {
						var err error
						if p, err = Prepare(context.Background(), q, e); err != nil {
							t.Fatalf("%s: %v", c.ID, err)
						}
						prepared[key] = p
					}
					r := answer(t, p, c, e)
					want := c.enclosure(t)
					if _, ok := interval.Intersect(r.Interval, want); !ok {
						t.Errorf("%s: effort %d: %s of %s at %s = %s misses %s (methods %v)", c.ID, e, c.Quantity, c.Event, c.At, r.Interval, want, r.Methods)
					}
					if r.IsPoint() || r.RelativeBits(1000) >= int(e.Bits())/2-8 || !r.IsFinite() && r.Lo().Cmp(r.Hi()) == 0 {
						narrow++
					}
					if d := time.Since(start); d > slowest {
						slowest, slow = d, c.ID
					}
				}
				t.Logf("effort %d: %d cases, %d narrow, slowest %v (%s)", e, asked, narrow, slowest, slow)
				if 4*narrow < 3*asked {
					t.Errorf("effort %d: of %d cases, only %d have narrow enclosures", e, asked, narrow)
				}
			}
		})
	}
}

func answer(t testing.TB, p *Profile, c oracleCase, e Effort) Result {
	t.Helper()
	var r Result
	var err error
	ctx := context.Background()
	at := new(big.Rat)
	if c.Quantity != "tv" {
		if at, err = number.Parse(c.At); err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	switch c.Quantity {
	case "delta", "tv":
		r, err = p.Delta(ctx, at)
	case "epsilon":
		r, err = p.Epsilon(ctx, at, int(e.Bits())/2)
	default:
		t.Fatalf("%s: quantity %s", c.ID, c.Quantity)
	}
	if err != nil {
		t.Fatalf("%s: effort %d: %v", c.ID, e, err)
	}
	return r
}
