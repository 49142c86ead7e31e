// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package interval

import (
	"bufio"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const oracleDir = "../../testdata/golden/oracle/elementary"

// A goldenCase is an outside value: |printed| ≤ |f(arg)| < |printed| + one unit
// of its last digit, or equality where it is exact.
type goldenCase struct {
	line  int
	text  string     // of the line
	arg   *big.Float // nil until the line is parsed
	value Interval
}

// readGolden reads the lines of a file with golden values.
func readGolden(t testing.TB, name string) []goldenCase {
	t.Helper()
	f, err := os.Open(filepath.Join(oracleDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []goldenCase
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for line := 1; s.Scan(); line++ {
		text := s.Text()
		if text == "" || text[0] == '#' {
			continue
		}
		cases = append(cases, goldenCase{line: line, text: text})
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s: no cases", name)
	}
	return cases
}

// parse reads the argument and its value, whose enclosure has p bits.
func (c *goldenCase) parse(p Prec) error {
	arg, value, ok := strings.Cut(c.text, " ")
	if !ok {
		return fmt.Errorf("line %d: want two fields", c.line)
	}
	var err error
	if c.arg, err = parseDyadic(arg); err == nil {
		c.value, err = parseTruncated(value, p)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", c.line, err)
	}
	return nil
}

// parseDyadic reads m·2^e written as <m>p<e>.
func parseDyadic(s string) (*big.Float, error) {
	ms, es, ok := strings.Cut(s, "p")
	m, ok2 := new(big.Int).SetString(ms, 10)
	e, err := strconv.Atoi(es)
	if !ok || !ok2 || err != nil {
		return nil, fmt.Errorf("bad dyadic number %q", s)
	}
	f := new(big.Float).SetPrec(uint(max(m.BitLen(), 2))).SetInt(m)
	return f.SetMantExp(f, e), nil
}

// parseTruncated returns the enclosure that a printed value stands for, at
// precision p.
func parseTruncated(s string, p Prec) (Interval, error) {
	s, exact := strings.CutSuffix(s, "!")
	digits, es, scientific := strings.Cut(s, "e")
	if !scientific {
		es = "0"
	}
	e, err := strconv.Atoi(es)
	if err != nil {
		return Interval{}, err
	}
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	whole, frac, _ := strings.Cut(digits, ".")
	D, ok := new(big.Int).SetString(whole+frac, 10)
	if !ok {
		return Interval{}, fmt.Errorf("bad value %q", s)
	}
	scale := p.PowInt(Int(10), int64(e-len(frac)))
	v := p.Mul(p.BigInt(D), scale)
	if !exact {
		v = Union(v, p.Mul(p.BigInt(D.Add(D, oneInt)), scale))
	}
	if negative {
		v = v.Neg()
	}
	return v, nil
}

var elementary = []struct {
	name string
	f    func(Prec, Interval) Interval
}{
	{"exp", Prec.Exp},
	{"expm1", Prec.Expm1},
	{"log", Prec.Log},
	{"log1p", Prec.Log1p},
	{"sqrt", Prec.Sqrt},
	{"sin", Prec.Sin},
	{"cos", Prec.Cos},
	{"atan", Prec.Atan},
	{"erf", Prec.Erf},
	{"erfc", Prec.Erfc},
	{"normal_cdf", Prec.NormalCDF},
	{"normal_tail", Prec.NormalSF},
}

// TestOracle compares every elementary function with outside values: an
// enclosure must meet the outside one, at every precision, and a point argument
// must give a narrow result.
func TestOracle(t *testing.T) {
	files := []struct {
		suffix string
		golden Prec
		precs  []Prec
		least  int
	}{
		{".txt", 320, []Prec{2, 3, 8, 24, 53, 64, 65, 113, 128, 192}, 10000},
		{".high.txt", 1200, []Prec{256, 1000}, 150},
		{".extreme.txt", 10300, []Prec{10000}, 10},
	}
	share := 24 // of the pairs of a point and a precision, one
	switch {
	case os.Getenv("DPVERIFY_LONG") != "":
		share = 1
	case testing.Short():
		share = 24
	}
	for _, fn := range elementary {
		t.Run(fn.name, func(t *testing.T) {
			t.Parallel()
			for _, file := range files {
				if testing.Short() && file.suffix == ".extreme.txt" {
					continue
				}
				cases := readGolden(t, fn.name+file.suffix)
				if len(cases) < file.least {
					t.Errorf("%s%s: %d cases, want at least %d", fn.name, file.suffix, len(cases), file.least)
				}
				for i, c := range cases {
					for j, p := range file.precs {
						if (i+j)%share != 0 {
							continue
						}
						if c.arg == nil {
							if err := c.parse(file.golden); err != nil {
								t.Fatalf("%s%s: %v", fn.name, file.suffix, err)
							}
						}
						y := fn.f(p, Point(c.arg))
						if _, ok := Intersect(y, c.value); !ok {
							t.Fatalf("%s%s:%d: at %d bits %s misses %s", fn.name, file.suffix, c.line, p, y, c.value)
						}
						if !narrow(p, y) {
							t.Errorf("%s%s:%d: at %d bits %s is too wide", fn.name, file.suffix, c.line, p, y)
						}
					}
				}
			}
		})
	}
}

// narrow reports whether hi − lo ≤ 2^(4−p)·|y|, or y touches the end of the
// range.
func narrow(p Prec, y Interval) bool {
	const q = Prec(64)
	if y.lo != nil && y.l().Sign() == 0 || y.h().IsInf() || y.l().IsInf() {
		return true
	}
	width := q.Sub(Point(y.h()), Point(y.l()))
	limit := q.Scale(y.Abs(), 4-int(p))
	return width.h().Cmp(limit.h()) <= 0
}
