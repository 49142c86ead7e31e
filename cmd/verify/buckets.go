// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/buckets"
	"dpverify/internal/cli"
	"dpverify/internal/cost"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/size"
	"dpverify/internal/source"
	"dpverify/mechanism"
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
	c := command("buckets", oneEvent, func(c *cobra.Command, args []string) error { return f.run(c, args[0]) })
	f.register(c)
	return c
}

// bucketFlags are the flags of buckets.
type bucketFlags struct {
	neighbours     cli.NeighbourFlags
	binary64, json bool
	eta            *big.Rat
	free           cli.Number
	eps, orders    cli.Numbers
	buckets, bits  int
	digits         int
	compositions   int64
	timeout        time.Duration
	memory         size.Bytes
}

func (f *bucketFlags) register(c *cobra.Command) {
	fs := c.Flags()
	f.eps.Register(fs, "epsilon", number.Any, "ε in nats")
	f.orders.Register(fs, "order", number.AboveOne, "the order of a Rényi divergence, above 1")
	fs.IntVar(&f.buckets, "buckets", defaultBuckets, "how many buckets, but for the middle one and ∞; a multiple of 4")
	cli.Parsed(fs, &f.eta, "factor", "string", "",
		"the bucket factor, a number > 1 or e^X (default: the buckets cover the losses of one copy)", parseFactor)
	cli.Integer(fs, &f.compositions, "compositions", 1, 1, mechanism.MaxCount, "how many copies of the mechanism")
	f.free.Register(fs, "free-infinity", number.Any, defaultFreeBudget,
		"the factor is squared only where bucket ∞ holds more than this")
	cli.Integer(fs, &f.bits, "bits", defaultBucketBits, buckets.MinBits, buckets.MaxBits, "fraction bits of masses")
	cli.Integer(fs, &f.digits, "digits", defaultBucketPlace, 1, ask.MaxDigits, "significant digits to show")
	f.neighbours.Register(c)
	cli.RegisterNumberFormat(c, &f.binary64, &f.eps, &f.orders)
	cli.Duration(fs, &f.timeout, "timeout", ask.MaxBudget, ask.MaxBudget, "give up after this time")
	cli.RegisterMemory(c, &f.memory)
	cli.RegisterFormat(c, &f.json)
}

func parseFactor(s string) (*big.Rat, error) {
	eta, ok := buckets.ParseFactor(s)
	if !ok {
		return nil, cli.Want("a number > 1 of at least 1 + 1e-20, or e^X for such an X > 0")
	}
	return eta, nil
}

// parse reads the event, and what one flag cannot know of itself.
func (f *bucketFlags) parse(ctx context.Context, c *cobra.Command, event string) (r buckets.Request, err error) {
	if len(f.eps)+len(f.orders) == 0 {
		return r, errors.New("--epsilon is missing, want a number; it may be given more than once, and so may --order")
	}
	if f.buckets < 4 || f.buckets > 2*buckets.MaxLast || f.buckets%4 != 0 {
		return r, fmt.Errorf("--buckets = %d, want a multiple of 4 in [4, %d]", f.buckets, 2*buckets.MaxLast)
	}
	r.Digits = f.digits
	r.Eps, r.EpsText = f.eps.Values()
	r.Orders, r.OrdersText = f.orders.Values()
	r.Relation, r.Direction = f.neighbours.First()
	r.Last, r.Bits, r.Eta, r.MaxMemory = f.buckets/2, f.bits, f.eta, int64(f.memory)
	var ok bool
	if r.Free, ok = buckets.FreeBits(f.free.X, f.bits); !ok {
		return r, fmt.Errorf("--free-infinity = %s, want a number in [2^-%d, 1/2] with --bits %d", show.Value(f.free.Text),
			f.bits-8, f.bits)
	}
	if r.Event, err = source.Event(ctx, event, c.InOrStdin(), f.binary64); err == nil && f.compositions > 1 {
		r.Event = mechanism.SelfComposed{Event: r.Event, Count: f.compositions}
	}
	return r, err
}

func (f *bucketFlags) run(c *cobra.Command, event string) error {
	started, cpu := time.Now(), cost.CPU()
	ctx, cancel := ask.Goal{Budget: f.timeout, Started: started}.Limit(c.Context())
	defer cancel()
	r, err := f.parse(ctx, c, event)
	if err != nil {
		return err
	}
	// Masses hold no pointers: collecting early costs little, and keeps what is left behind to half of what is kept.
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	found, err := cli.Completed(c, func(show func(string)) (*buckets.Finding, error) {
		r.Step = show
		return buckets.Compute(ctx, r)
	})
	switch {
	case err != nil && ctx.Err() != nil && c.Context().Err() == nil:
		return fmt.Errorf("not done in %v; --timeout gives more time", f.timeout)
	case err != nil:
		return err
	}
	spent := buckets.Cost{Seconds: time.Since(started).Seconds(), CPU: (cost.CPU() - cpu).Seconds(),
		PeakBytes: cost.PeakMemory()}
	if f.json {
		return cli.WriteJSON(c.OutOrStdout(), buckets.NewReport(found, spent))
	}
	fmt.Fprint(c.OutOrStdout(), found.Text())
	fmt.Fprintf(c.ErrOrStderr(), "%.2f s, %.2f s of CPU time, at most %.0f MB of memory\n", spent.Seconds, spent.CPU,
		float64(spent.PeakBytes)/1e6)
	return nil
}
