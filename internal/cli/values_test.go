// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"dpverify/internal/cost"
	"dpverify/internal/number"
	"dpverify/internal/size"
	"dpverify/mechanism"
)

// values is one flag of each kind.
type values struct {
	json, binary64 bool
	relation       mechanism.Relation
	n, open        int
	timeout, any   time.Duration
	delta, epsilon Number
	at             Numbers
	effort         *int
	memory         size.Bytes
}

func (v *values) command() *cobra.Command {
	c := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true, RunE: func(*cobra.Command, []string) error { return nil }}
	c.SetFlagErrorFunc(FlagFault)
	fs := c.Flags()
	Choice(fs, &v.json, "format", "text", "text or json", "text or json", false, true)
	Parsed(fs, &v.relation, "relation", "string", mechanism.AddOrRemoveOne.String(), "", mechanism.ParseRelation)
	Integer(fs, &v.n, "n", 3, 1, 9, "")
	Integer(fs, &v.open, "open", 0, 0, MaxInt, "")
	Duration(fs, &v.timeout, "timeout", time.Minute, time.Hour, "")
	Duration(fs, &v.any, "any", time.Second, 0, "")
	v.delta.Register(fs, "delta", number.Probability, "", "")
	v.epsilon.Register(fs, "epsilon", number.Any, "1/3", "")
	v.at.Register(fs, "at", number.NonNegative, "")
	Parsed(fs, &v.effort, "effort", "string", "", "", func(string) (*int, error) { return nil, errors.New("in other words") })
	fs.Var(&v.memory, "memory", "")
	RegisterNumberFormat(c, &v.binary64, &v.delta, &v.at)
	return c
}

func parsed(args ...string) (values, error) {
	var v values
	c := v.command()
	c.SetArgs(args)
	return v, c.Execute()
}

// TestValuesOfFlags: a flag that is not given has its default, and one that is given its value.
func TestValuesOfFlags(t *testing.T) {
	v, err := parsed()
	if err != nil || v.json || v.n != 3 || v.open != 0 || v.timeout != time.Minute || v.delta.X != nil || v.epsilon.X.Cmp(big.NewRat(1, 3)) != 0 || v.at != nil || v.effort != nil {
		t.Errorf("without flags: %+v, %v", v, err)
	}
	v, err = parsed("--format", "json", "--relation=REPLACE_ONE", "--n=9", "--open=7", "--timeout", "1h", "--any=300h", "--delta", "1e-5", "--at", "1", "--at", "2/3")
	if err != nil || !v.json || v.relation != mechanism.ReplaceOne || v.n != 9 || v.open != 7 || v.timeout != time.Hour || v.any != 300*time.Hour ||
		v.delta.Text != "1e-5" || v.delta.X.Cmp(big.NewRat(1, 100_000)) != 0 || len(v.at) != 2 || v.at[1].Text != "2/3" {
		t.Errorf("with flags: %+v, %v", v, err)
	}
}

// TestWrongValuesOfFlags: an error names the flag, its value, and what is wanted.
func TestWrongValuesOfFlags(t *testing.T) {
	for _, c := range []struct{ arg, want string }{
		{"--format=xml", `--format = "xml", want text or json`},
		{"--relation=SWAP", `--relation = "SWAP", want ADD_OR_REMOVE_ONE, REPLACE_ONE or REPLACE_SPECIAL`},
		{"--n=0", "--n = 0, want an integer in [1, 9]"},
		{"--n=10", "--n = 10, want an integer in [1, 9]"},
		{"--n=2.5", "--n = 2.5, want an integer in [1, 9]"},
		{"--n=1e99", "--n = 1e99, want an integer in [1, 9]"},
		{"--open=-1", "--open = -1, want an integer >= 0"},
		{"--timeout=0s", `--timeout = 0s, want more than 0 and at most 1h0m0s`},
		{"--timeout=61m", `--timeout = 1h1m0s, want more than 0 and at most 1h0m0s`},
		{"--timeout=20", "--timeout = 20, want a duration such as 500ms, 30s, 10m or 2h"},
		{"--any=-1s", `--any = -1s, want more than 0`},
		{"--delta=2", "--delta = 2, want a number in [0, 1]"},
		{"--delta=two", `--delta = "two", want a number in [0, 1]`},
		{"--delta=", `--delta = "", want a number in [0, 1]`},
		{"--epsilon=1e999999", "--epsilon = 1e999999, want an exponent of at most 100000 in absolute value"},
		{"--at=-1", "--at = -1, want a number >= 0"},
		{"--memory=10k", `--memory = "10k", want a size such as 300MB, 2GiB or a number of bytes`},
		{"--effort=1", `invalid argument "1" for "--effort" flag: in other words; see x --help`},
		{"--gone", "unknown flag: --gone; see x --help"},
	} {
		if _, err := parsed(c.arg); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", c.arg, err, c.want)
		}
	}
	v, _ := parsed()
	if err := v.delta.Required(); err == nil || err.Error() != "--delta is missing, want a number in [0, 1]" {
		t.Errorf("a flag that is missing: %v", err)
	}
}

// TestRoundedFlags: what binary64 makes of a number is in its domain too, and numbers that are not given stay so.
func TestRoundedFlags(t *testing.T) {
	nearest := new(big.Rat).SetFloat64(0.1)
	for format, want := range map[string]*big.Rat{"decimal": big.NewRat(1, 10), "binary64": nearest} {
		v, err := parsed("--delta", "0.1", "--at", "3", "--number-format", format, "--at", "0.1")
		xs, texts := v.at.Values()
		if err != nil || v.delta.X.Cmp(want) != 0 || len(xs) != 2 || xs[1].Cmp(want) != 0 || texts[1] != "0.1" {
			t.Errorf("%s: %v, %v, %v, %v", format, v.delta.X, xs, texts, err)
		}
	}
	for at, want := range map[string]string{
		"1e400":  "--at = 1e400, want a number in the range of binary64",
		"1e-400": "",
	} {
		if v, err := parsed("--at", at, "--number-format=binary64"); v.delta.X != nil || err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, %v", at, v.delta.X, err)
		}
	}
}

// TestMemoryDefault: without --max-memory, a step may take half of the memory that there is.
func TestMemoryDefault(t *testing.T) {
	var m size.Bytes
	c := &cobra.Command{}
	RegisterMemory(c, &m)
	if int64(m) != cost.Machine()/2 || c.Flags().Lookup("max-memory").DefValue != "" {
		t.Errorf("%d bytes of %d, default %q", m, cost.Machine(), c.Flags().Lookup("max-memory").DefValue)
	}
	if err := c.ParseFlags([]string{"--max-memory", "7kB"}); err != nil || m != 7000 {
		t.Errorf("%d bytes, %v", m, err)
	}
}
