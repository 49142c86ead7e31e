// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"
	"io"
	"math/big"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/float/learn"
	"dpverify/internal/terminal"
	"dpverify/noise"
	"dpverify/noise/learned"
)

func newLearn() *cobra.Command {
	var f learnFlags
	c := &cobra.Command{
		Use:   "learn --epsilon E (--delta D | --utility-at U) --range R --output FILE",
		Short: "Find the additive noise of a range that keeps a promise and disturbs least",
		Long: `Find noise on [−R, R], symmetric and falling from 0, with the least E|X| (l1) or
(E X²)^½ (l2) for which δ(E) ≤ D after N releases of an answer that moves by at most
the sensitivity; or, with --utility-at, the noise with the least δ(E) that disturbs by
at most U. With --sampling-probability each release is of a Poisson sample.

The noise is learned in float64, rounded to multiples of 2^-128, and certified by the
exact engine before it is written, as an AdditiveNoiseEvent that every other command
reads; of more than 64 cells the masses are in a CSV file beside it. What stands in the
table beside it, at equal utility and at equal δ, is estimated. For one release without
sampling it is the solution of a linear program (lp), whose dual is rounded and checked in rational
arithmetic: a lower bound of what is least, over all symmetric falling noise of the range.
With --shape any the noise need not fall: what is certified then are all shifts, and the bound
remains that of falling noise. Otherwise it is found by gradients; sigmoid is the model of Sommer et al. 2021, for comparison, and nothing proves that no other noise is better. An interrupt ends the search:
the best so far is certified and written. "verify sample" draws from the noise.

Exit status: 0 the noise is certified to keep the promise, 1 none was found, 2 the
search could not run.`,
		Example: `  verify learn --epsilon 0.3 --delta 1e-6 --compositions 8 --range 200 --utility l1 --output noise.yaml
  verify learn --epsilon 0.3 --utility-at 3 --compositions 8 --range 30 --sampling-probability 0.1 --output noise.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.register(c)
	return c
}

// learnFlags are the flags of learn.
type learnFlags struct {
	epsilon, delta, utilityAt       string
	radius, sensitivity, cell, rate string
	norm, method, output, format    string
	shape, loss, picture            string
	seed                            uint64
	compositions                    int64
}

func (f *learnFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.epsilon, "epsilon", "", "ε in nats")
	fs.StringVar(&f.delta, "delta", "", "the greatest δ")
	fs.StringVar(&f.utilityAt, "utility-at", "", "in place of --delta: the greatest utility loss")
	fs.Int64Var(&f.compositions, "compositions", 1, "the number of releases")
	fs.StringVar(&f.radius, "range", "", "the noise is in [−range, range]")
	fs.StringVar(&f.sensitivity, "sensitivity", "1", "how far one record moves an answer")
	fs.StringVar(&f.norm, "utility", "l2", "l1 or l2")
	fs.StringVar(&f.cell, "cell", "", "the width of a cell, which divides range and sensitivity (default: chosen)")
	fs.StringVar(&f.rate, "sampling-probability", "1", "of the Poisson sample that a release is of")
	fs.StringVar(&f.shape, "shape", "falling", "falling from 0, or any: of one release, with every shift up to the sensitivity")
	fs.StringVar(&f.method, "method", "auto", "auto, lp, gradient or sigmoid")
	fs.StringVar(&f.loss, "loss", "adp", "of --method sigmoid: adp, pdp or ma, as in the paper")
	fs.Uint64Var(&f.seed, "seed", 1, "of --method sigmoid, which begins at random")
	fs.StringVarP(&f.output, "output", "o", "", "the file to write the noise to: .json, .yaml or .yml")
	fs.StringVar(&f.picture, "picture", "", "also draw: for NAME.svg, .png or .pdf NAME-density, NAME-log-density and NAME-delta")
	registerFormat(c, &f.format)
}

func (f *learnFlags) parse() (w learned.Wish, err error) {
	for _, x := range []struct {
		name, text string
		required   bool
		into       **big.Rat
	}{
		{"epsilon", f.epsilon, true, &w.Epsilon}, {"delta", f.delta, false, &w.Delta}, {"utility-at", f.utilityAt, false, &w.Utility},
		{"range", f.radius, true, &w.Radius}, {"sensitivity", f.sensitivity, true, &w.Sensitivity},
		{"cell", f.cell, false, &w.Cell}, {"sampling-probability", f.rate, true, &w.Rate},
	} {
		switch {
		case x.text != "":
			if *x.into, err = parseNumber(x.name, x.text, false); err != nil {
				return w, err
			}
		case x.required:
			return w, fmt.Errorf("--%s is missing, want a number", x.name)
		}
	}
	switch {
	case w.Delta == nil && w.Utility == nil:
		return w, errors.New("--delta is missing, want a number in (0, 1), or --utility-at")
	case w.Delta != nil && w.Utility != nil:
		return w, errors.New("--delta and --utility-at are given, want one of them")
	}
	if w.Norm, err = oneOf("utility", f.norm, "l1 or l2", noise.L1, noise.L2); err != nil {
		return w, err
	}
	if w.Method, err = oneOf("method", f.method, "auto, lp, gradient or sigmoid", learned.Auto, learned.LP, learned.Gradient, learned.Sigmoid); err != nil {
		return w, err
	}
	if w.Loss, err = oneOf("loss", f.loss, "adp, pdp or ma", learn.LossADP, learn.LossPDP, learn.LossMA); err != nil {
		return w, err
	}
	if w.AnyShape, err = oneOf("shape", f.shape, "falling or any", false, true); err != nil {
		return w, err
	}
	switch {
	case w.Method == learned.Sigmoid:
		w.Seed = f.seed
	case w.Loss != learn.LossADP:
		return w, errors.New("--loss is of --method sigmoid")
	}
	w.Compositions = f.compositions
	return w, w.Check()
}

func (f *learnFlags) run(c *cobra.Command) error {
	asJSON, err := parseFormat(f.format)
	if err != nil {
		return err
	}
	w, err := f.parse()
	if err != nil {
		return err
	}
	if f.output == "" {
		return errors.New("--output is missing, want the name of a file to write the noise to")
	}
	if err := learned.CheckFile(f.output); err != nil {
		return err
	}
	drawn := ""
	if f.picture != "" {
		if drawn, err = figureFormat("picture", f.picture); err != nil {
			return err
		}
	}
	p := terminal.NewProgress(c.ErrOrStderr(), -1)
	w.Progress = func(s learn.State) {
		p.Describe(fmt.Sprintf("%d gradients, δ %.4g, %s %.5g", s.Gradients, s.Delta, w.Norm, s.Utility))
	}
	var found learned.Found
	err = ask.Guard(func() (err error) {
		found, err = learned.Learn(c.Context(), w)
		return err
	})
	p.Close()
	var none *learned.NoneError
	if errors.As(err, &none) {
		if _, err := fmt.Fprintln(c.ErrOrStderr(), "verify: "+none.Error()); err != nil {
			return err
		}
		return statusError(statusWrong)
	}
	if err != nil {
		return err
	}
	csv, err := learned.WriteFile(f.output, found.Noise)
	if err != nil {
		return err
	}
	if drawn != "" {
		if err := found.Draw(c.Context(), w, f.picture, drawn); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(c.OutOrStdout(), learned.NewReport(found))
	}
	_, err = io.WriteString(c.OutOrStdout(), found.Text(w, f.output, csv))
	return err
}
