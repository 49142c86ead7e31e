// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/buckets"
	"dpverify/exact"
	"dpverify/internal/cost"
	"dpverify/internal/show"
	"dpverify/internal/size"
	"dpverify/internal/terminal"
	"dpverify/mechanism"
	"dpverify/number"
)

// What buckets are used with unless it is said.
const (
	defaultBuckets     = 10_000
	defaultBucketBits  = 123 // two words
	defaultFreeBudget  = "1e-12"
	defaultBucketPlace = 6 // digits shown
)

func newBuckets() *cobra.Command {
	var f bucketFlags
	c := &cobra.Command{
		Use:   "buckets {--epsilon E | --order A} … EVENT",
		Short: "Bound δ(ε) by privacy buckets, as their paper does: δ_up, δ_low, error terms, PDP",
		Long: `Put the privacy losses of a mechanism into buckets, compose them, and print what they say, in
the terms of Meiser & Mohammadi 2018 with its errors corrected ("docs/errata.md"). Bucket i
holds f^(i−1) < P/Q ≤ f^i. Of each product that dominates the mechanism, at each ε:

  δ_low        Theorem 2
  δ_up         Definition 9 and Lemma 13: misplaced events count as badly as they can
  δ_typical    the same with the typical misplacement; ours, and mostly much closer
  no EC        Theorem 1: an upper bound without error correction terms
  real EC      by how much the real terms lower it, to δ_up
  virtual EC   by how much the virtual terms lower δ_low
  PDP          P(L > ε) is at most this

and at each --order the Rényi divergence from buckets (§5.7). All are rounded to their safe side.
Bounds hold for the mechanism; "verify delta" intersects them with those of other methods.
Time and memory are said last, on standard error.

` + askHelp,
		Example: `  verify buckets --epsilon 1 --compositions 512 '{class_name: LaplaceDpEvent, noise_multiplier: 200}'
  verify buckets --epsilon 1 --epsilon 4 --buckets 100000 --compositions 262144 '{class_name: TruncatedGaussianEvent, sigma: 282.842712, sensitivity: 1, radius: 2500}'
  verify buckets --order 2 --order 8 --factor 1.001 event.json`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.register(c)
	return c
}

// bucketFlags are the flags of buckets.
type bucketFlags struct {
	neighbours    neighbourFlags
	numberFormat  string
	format        string
	factor, free  string
	eps, orders   []string
	buckets, bits int
	digits        int
	compositions  int64
	timeout       time.Duration
	memory        size.Bytes
}

func (f *bucketFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringArrayVar(&f.eps, "epsilon", nil, "ε in nats; may be given more than once")
	fs.StringArrayVar(&f.orders, "order", nil, "the order of a Rényi divergence, above 1; may be given more than once")
	fs.IntVar(&f.buckets, "buckets", defaultBuckets, "how many buckets, but for the middle one and ∞; a multiple of 4")
	fs.StringVar(&f.factor, "factor", "", "the bucket factor, a number > 1 or e^X (default: the buckets cover the losses of one copy)")
	fs.Int64Var(&f.compositions, "compositions", 1, "how many copies of the mechanism")
	fs.StringVar(&f.free, "free-infinity", defaultFreeBudget, "the factor is squared only where bucket ∞ holds more than this")
	fs.IntVar(&f.bits, "bits", defaultBucketBits, "fraction bits of masses")
	fs.IntVar(&f.digits, "digits", defaultBucketPlace, "significant digits to show")
	f.neighbours.register(c)
	fs.StringVar(&f.numberFormat, "number-format", "decimal", "decimal takes numbers as written, binary64 rounds them to the nearest float64 first")
	fs.DurationVar(&f.timeout, "timeout", ask.MaxBudget, "give up after this time")
	registerMemory(c, &f.memory)
	registerFormat(c, &f.format)
}

// A bucketRequest is what the flags ask for.
type bucketRequest struct {
	buckets.Request
	json bool
}

func (f *bucketFlags) parse(c *cobra.Command, event string) (r bucketRequest, err error) {
	if len(f.eps)+len(f.orders) == 0 {
		return r, errors.New("--epsilon is missing, want a number; it may be given more than once, and so may --order")
	}
	if r.json, err = parseFormat(f.format); err != nil {
		return r, err
	}
	if r.Relation, r.Direction, err = f.neighbours.parse(); err != nil {
		return r, err
	}
	binary64, err := parseNumberFormat(f.numberFormat)
	if err != nil {
		return r, err
	}
	switch {
	case f.buckets < 4 || f.buckets > 2*exact.MaxLastBucket || f.buckets%4 != 0:
		return r, fmt.Errorf("--buckets = %d, want a multiple of 4 in [4, %d]", f.buckets, 2*exact.MaxLastBucket)
	case f.compositions < 1 || f.compositions > mechanism.MaxCount:
		return r, fmt.Errorf("--compositions = %d, want an integer in [1, %d]", f.compositions, int64(mechanism.MaxCount))
	case f.bits < exact.MinBucketBits || f.bits > exact.MaxBucketBits:
		return r, fmt.Errorf("--bits = %d, want an integer in [%d, %d]", f.bits, exact.MinBucketBits, exact.MaxBucketBits)
	case f.digits < 1 || f.digits > ask.MaxDigits:
		return r, fmt.Errorf("--digits = %d, want an integer in [1, %d]", f.digits, ask.MaxDigits)
	case f.timeout <= 0 || f.timeout > ask.MaxBudget:
		return r, fmt.Errorf("--timeout = %v, want more than 0 and at most %v", f.timeout, time.Duration(ask.MaxBudget))
	}
	r.Last, r.Bits = f.buckets/2, f.bits
	if r.Free, err = f.parseFree(); err != nil {
		return r, err
	}
	if f.factor != "" {
		var ok bool
		if r.Eta, ok = buckets.ParseFactor(f.factor); !ok {
			return r, fmt.Errorf("--factor = %s, want a number > 1 of at least 1 + 1e-20, or e^X for such an X > 0", show.Value(f.factor))
		}
	}
	if r.Eps, err = parseNumbers("epsilon", f.eps, binary64); err != nil {
		return r, err
	}
	for _, s := range f.orders {
		x, err := parseIn("order", s, number.AboveOne, binary64)
		if err != nil {
			return r, err
		}
		r.Orders = append(r.Orders, x)
	}
	if r.Event, err = decodeEvent(event, c.InOrStdin(), binary64); err != nil {
		return r, err
	}
	if f.compositions > 1 {
		r.Event = mechanism.SelfComposed{Event: r.Event, Count: f.compositions}
	}
	r.MaxMemory = int64(f.memory)
	r.EpsText, r.OrdersText, r.Digits = f.eps, f.orders, f.digits
	return r, nil
}

// parseFree reads the free budget of bucket ∞.
func (f *bucketFlags) parseFree() (int, error) {
	x, err := parseNumber("free-infinity", f.free, false)
	if err != nil {
		return 0, err
	}
	m, ok := buckets.FreeBits(x, f.bits)
	if !ok {
		return 0, fmt.Errorf("--free-infinity = %s, want a number in [2^-%d, 1/2] with --bits %d", show.Value(f.free), f.bits-8, f.bits)
	}
	return m, nil
}

func (f *bucketFlags) run(c *cobra.Command, event string) error {
	r, err := f.parse(c, event)
	if err != nil {
		return err
	}
	started, cpu := time.Now(), cost.CPU()
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	r.Step = p.Describe
	ctx, cancel := ask.Goal{Budget: f.timeout, Started: started}.Limit(c.Context())
	defer cancel()
	found, err := buckets.Compute(ctx, r.Request)
	p.Close()
	switch {
	case c.Context().Err() != nil:
		return errInterrupted
	case ctx.Err() != nil:
		return fmt.Errorf("not done in %v; --timeout gives more time", f.timeout)
	case err != nil:
		return err
	}
	spent := buckets.Cost{Seconds: time.Since(started).Seconds(), CPU: (cost.CPU() - cpu).Seconds(), PeakBytes: cost.PeakMemory()}
	if r.json {
		return writeJSON(c.OutOrStdout(), buckets.NewReport(found, spent))
	}
	if _, err := io.WriteString(c.OutOrStdout(), found.Text()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.ErrOrStderr(), "%.2f s, %.2f s of CPU time, at most %.0f MB of memory\n", spent.Seconds, spent.CPU, float64(spent.PeakBytes)/1e6)
	return err
}
