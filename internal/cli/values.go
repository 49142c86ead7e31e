// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cli

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"dpverify/exact/renyi"
	"dpverify/internal/atomicfile"
	"dpverify/internal/figure"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/source"
	"dpverify/internal/suggest"
	"dpverify/mechanism"
)

// Want is the error of a value of a flag: what is wanted. FlagFault adds the flag and the value.
type Want string

func (w Want) Error() string { return "want " + string(w) }

// A value is the value of a flag that is read as soon as it is met.
type value struct {
	kind string // how the help calls it
	text string // as it was written
	set  func(string) error
}

func (v *value) String() string { return v.text }
func (v *value) Type() string   { return v.kind }

// Set reads a value.
func (v *value) Set(s string) error {
	if err := v.set(s); err != nil {
		return err
	}
	v.text = s
	return nil
}

// Parsed registers a flag whose text parse reads, and which the help calls kind. An error of parse should be a
// [Want], or one of package number or mechanism. usual is the text of the default; empty if there is none.
func Parsed[T any](fs *pflag.FlagSet, into *T, name, kind, usual, usage string, parse func(string) (T, error)) {
	v := &value{kind: kind, set: func(s string) (err error) { *into, err = parse(s); return err }}
	if usual != "" {
		if err := v.Set(usual); err != nil {
			panic("verify: internal error: --" + name + ": " + err.Error())
		}
	}
	fs.Var(v, name, usage)
}

// Choice registers a flag that has one of a few values: those whose names want lists, in its order.
func Choice[T any](fs *pflag.FlagSet, into *T, name, usual, usage, want string, values ...T) {
	Parsed(fs, into, name, "string", usual, usage, func(s string) (v T, err error) {
		if i := slices.Index(Names(want), s); i >= 0 {
			return values[i], nil
		}
		return v, Want(want)
	})
}

// Fault names the flag in an error of package number or mechanism.
func Fault(flag string, err error) error {
	var n *number.Error
	var p *mechanism.ParamError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &n):
		return wanted(flag, n.Value, n.Want)
	case errors.As(err, &p):
		return wanted(flag, p.Value, p.Want)
	}
	return fmt.Errorf("--%s: %w", flag, err)
}

// wanted says what a flag takes in the place of a value, as it is shown.
func wanted(flag, value, want string) error {
	return fmt.Errorf("--%s = %s, want %s%s", flag, value, want, suggest.Among(value, want))
}

// Integer registers a flag that is an integer of [lo, hi].
func Integer[T ~int | ~int64](fs *pflag.FlagSet, into *T, name string, usual, lo, hi T, usage string) {
	want := Want(fmt.Sprintf("an integer in [%d, %d]", lo, hi))
	if int64(hi) == int64(MaxInt) {
		want = Want(fmt.Sprintf("an integer >= %d", lo))
	}
	Parsed(fs, into, name, "int", fmt.Sprint(usual), usage, func(s string) (T, error) {
		x, err := strconv.ParseInt(s, 0, 64)
		if err != nil || x < int64(lo) || x > int64(hi) {
			return 0, want
		}
		return T(x), nil
	})
}

// MaxInt is the end of an [Integer] that has none.
const MaxInt = int(^uint(0) >> 1)

const wantDuration = "a duration such as 500ms, 30s, 10m or 2h"

// Duration registers a flag that is a time above 0, and at most most if that is not 0.
func Duration(fs *pflag.FlagSet, into *time.Duration, name string, usual, most time.Duration, usage string) {
	want := "more than 0"
	if most > 0 {
		want += fmt.Sprintf(" and at most %v", most)
	}
	durationIn(fs, into, name, usual, usage, want, func(d time.Duration) bool {
		return d > 0 && (most == 0 || d <= most)
	})
}

// DurationOrZero registers a flag that is a time, or 0.
func DurationOrZero(fs *pflag.FlagSet, into *time.Duration, name string, usual time.Duration, usage string) {
	durationIn(fs, into, name, usual, usage, "at least 0", func(d time.Duration) bool { return d >= 0 })
}

func durationIn(fs *pflag.FlagSet, into *time.Duration, name string, usual time.Duration, usage, want string,
	in func(time.Duration) bool) {
	Parsed(fs, into, name, "duration", usual.String(), usage, func(s string) (time.Duration, error) {
		switch d, err := time.ParseDuration(s); {
		case err != nil:
			return 0, Want(wantDuration)
		case !in(d):
			return 0, &number.Error{Value: d.String(), Want: want}
		default:
			return d, nil
		}
	})
}

// A Number is the value of a flag that is a number of a domain.
type Number struct {
	Text string   // as it is written; empty if it is not given
	X    *big.Rat // nil if it is not given
	flag string
	in   number.Domain
}

// Register registers the flag. usual is the default; empty if there is none.
func (n *Number) Register(fs *pflag.FlagSet, name string, in number.Domain, usual, usage string) {
	Parsed(fs, n, name, "string", usual, usage, func(s string) (Number, error) {
		x, err := parseNumber(s, in)
		return Number{s, x, name, in}, err
	})
	n.flag, n.in = name, in
}

// Required returns the error that the flag is not given, if it is not.
func (n Number) Required() error {
	if n.X == nil {
		return fmt.Errorf("--%s is missing, want %s", n.flag, n.in)
	}
	return nil
}

// round rounds the number to the nearest float64, if it is given.
func (n *Number) round() (err error) {
	if n.X == nil {
		return nil
	}
	if n.X, err = number.Binary64(n.X); err == nil && !n.in.Contains(n.X) {
		err = &number.Error{Value: number.Format(n.X), Want: n.in.String() + " after rounding to binary64"}
	}
	return Fault(n.flag, err)
}

// Numbers are the values of a flag that may be given more than once.
type Numbers []Number

// Register registers the flag.
func (ns *Numbers) Register(fs *pflag.FlagSet, name string, in number.Domain, usage string) {
	Parsed(fs, ns, name, "stringArray", "", usage+"; may be given more than once", func(s string) (Numbers, error) {
		x, err := parseNumber(s, in)
		if err != nil {
			return *ns, err
		}
		return append(*ns, Number{s, x, name, in}), nil
	})
}

func (ns *Numbers) round() error {
	for i := range *ns {
		if err := (*ns)[i].round(); err != nil {
			return err
		}
	}
	return nil
}

// Values returns the numbers, and how they are written.
func (ns Numbers) Values() (xs []*big.Rat, texts []string) {
	for _, n := range ns {
		xs, texts = append(xs, n.X), append(texts, n.Text)
	}
	return xs, texts
}

func parseNumber(s string, in number.Domain) (*big.Rat, error) {
	x, err := number.Parse(s)
	switch {
	case err != nil:
		return nil, Want(number.Wanted(err, in.String()))
	case !in.Contains(x):
		return nil, Want(in.String())
	}
	return x, nil
}

// ListOf reads a word, or several with commas between them.
func ListOf[T any](several bool, parse func(string) (T, error)) func(string) ([]T, error) {
	return func(s string) (out []T, err error) {
		words := []string{s}
		if several {
			words = strings.Split(s, ",")
		}
		for _, word := range words {
			x, err := parse(strings.TrimSpace(word))
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	}
}

// ParseOrder reads a Rényi order above 1, or inf.
func ParseOrder(s string) (*renyi.Order, error) {
	order := renyi.Infinity
	if s != "inf" {
		x, err := number.Parse(s)
		if err != nil || !number.AboveOne.Contains(x) {
			return nil, Want(number.AboveOne.String())
		}
		order = renyi.At(x)
	}
	return &order, nil
}

// Length registers a length of a picture, in centimetres.
func Length(fs *pflag.FlagSet, into *float64, name, usual, usage string) {
	Parsed(fs, into, name, "float64", usual, usage, func(s string) (float64, error) {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || !(4 <= x && x <= 100) {
			return 0, Want("centimetres in [4, 100]")
		}
		return x, nil
	})
}

// FigureFormat returns the format of a file to draw into, by its name, which is none of the files that EVENT arguments
// name; "" if there is none. An error names the flag.
func FigureFormat(flag, output string, events ...string) (string, error) {
	if output == "" {
		return "", nil
	}
	format, ok := figure.FormatOf(output)
	if !ok {
		return "", fmt.Errorf("--%s = %s, want a name that ends in .svg, .png or .pdf", flag, show.Value(output))
	}
	return format, atomicfile.Check(output, source.Paths(events)...)
}
