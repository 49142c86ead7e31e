// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package crosscheck

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"dpverify/exact/interval"
)

var (
	functionFlag  = flag.String("function", "", "of the comparison to repeat")
	precFlag      = flag.Uint("prec", 0, "its precision")
	argumentsFlag = flag.String("arguments", "", "its arguments, separated by commas")
)

// TestReproduce repeats the comparison that a Violation names.
func TestReproduce(t *testing.T) {
	if *functionFlag == "" {
		t.Skip("no -function given")
	}
	v, skipped, err := reproduce(*functionFlag, interval.Prec(*precFlag), *argumentsFlag)
	switch {
	case err != nil:
		t.Fatal(err)
	case skipped:
		t.Log("bigfloat is known to be wrong here")
	case v != nil:
		t.Error(v)
	default:
		t.Log("both sides agree")
	}
}

func reproduce(name string, p interval.Prec, arguments string) (*Violation, bool, error) {
	var args []*big.Float
	for _, s := range strings.Split(arguments, ",") {
		x, err := parseDyadic(s)
		if err != nil {
			return nil, false, err
		}
		args = append(args, x)
	}
	for _, f := range functions {
		if f.name == name {
			v, skipped := f.compare(p, args)
			return v, skipped, nil
		}
	}
	return nil, false, errors.New("no such function")
}

// TestElementary compares every function, in the long run at 10,000 arguments and more.
func TestElementary(t *testing.T) {
	n := 300
	switch {
	case os.Getenv("DPVERIFY_LONG") != "":
		n = 12000
	case testing.Short():
		n = 300
	}
	rep, err := Elementary(context.Background(), 1, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range functions {
		t.Logf("%s: %d compared, %d skipped", f.name, rep.Checked[f.name], rep.Skipped[f.name])
		if rep.Checked[f.name] < n*10/12 {
			t.Errorf("%s: only %d of %d arguments were compared", f.name, rep.Checked[f.name], n)
		}
	}
}

// TestElementaryBites: a value that is off by two units of its last place, or of the
// wrong sign, is a violation, and its text is a command that shows it.
func TestElementaryBites(t *testing.T) {
	for _, f := range functions {
		wrong := f
		good := wrong.ours
		for name, spoil := range map[string]func(p interval.Prec, y interval.Interval) interval.Interval{
			"two units": func(p interval.Prec, y interval.Interval) interval.Interval {
				return (p + 64).Mul(y, (p+64).Add(interval.Int(1), (p+64).Scale(interval.Int(4), -int(p))))
			},
			"sign": func(p interval.Prec, y interval.Interval) interval.Interval { return y.Neg() },
		} {
			wrong.ours = func(p interval.Prec, x []interval.Interval) interval.Interval { return spoil(p, good(p, x)) }
			args := []*big.Float{new(big.Float).SetPrec(53).SetFloat64(1.7)}
			if f.name == "pow" {
				args = append(args, big.NewFloat(3))
			}
			v, skipped := wrong.compare(53, args)
			if skipped || v == nil {
				t.Errorf("%s with a wrong value (%s) passes", f.name, name)
				continue
			}
			_, command, ok := strings.Cut(v.Error(), "reproduce with: ")
			if !ok {
				t.Errorf("no command in %q", v)
				continue
			}
			fields := strings.Fields(command)
			again, _, err := reproduce(fields[len(fields)-5], 53, fields[len(fields)-1])
			if err != nil || again != nil { // the right function agrees
				t.Errorf("%q: %v, %v", command, again, err)
			}
		}
	}
}

func TestElementaryIsReproducible(t *testing.T) {
	a, err := Elementary(context.Background(), 7, 50)
	b, err2 := Elementary(context.Background(), 7, 50)
	if err != nil || err2 != nil || total(a.Checked) != total(b.Checked) {
		t.Errorf("%v, %v, %v, %v", a, b, err, err2)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Elementary(ctx, 1, 10); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestDyadic(t *testing.T) {
	for _, s := range []string{"0p0", "1p0", "-3p-1", "12345678901234567890123p-700"} {
		x, err := parseDyadic(s)
		if err != nil || Dyadic(x) != s {
			t.Errorf("%s: %v, %v", s, x, err)
		}
	}
	for _, s := range []string{"", "1", "p1", "1.5p0", "1p"} {
		if _, err := parseDyadic(s); err == nil {
			t.Errorf("%q parses", s)
		}
	}
}

// parseDyadic reads what Dyadic writes.
func parseDyadic(s string) (*big.Float, error) {
	ms, es, ok := strings.Cut(s, "p")
	m, isInt := new(big.Int).SetString(ms, 10)
	e, err := strconv.Atoi(es)
	if !ok || !isInt || err != nil {
		return nil, fmt.Errorf("crosscheck: number = %q, want an integer, p and an exponent", s)
	}
	f := new(big.Float).SetPrec(uint(max(m.BitLen(), 2))).SetInt(m)
	return f.SetMantExp(f, e), nil
}
