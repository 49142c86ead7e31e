// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask/noise"
	"dpverify/ask/noise/learned"
	"dpverify/float/learn"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/number"
)

func newLearn() *cobra.Command {
	var f learnFlags
	c := command("learn", cli.NoArguments, func(c *cobra.Command, _ []string) error { return f.run(c) })
	f.register(c)
	return c
}

// learnFlags are the flags of learn.
type learnFlags struct {
	learned.Wish
	epsilon, delta, utilityAt       cli.Number
	radius, sensitivity, cell, rate cli.Number
	output, picture                 string
	json                            bool
	seed                            uint64
}

func (f *learnFlags) register(c *cobra.Command) {
	fs := c.Flags()
	f.epsilon.Register(fs, "epsilon", number.Any, "", "ε in nats")
	f.delta.Register(fs, "delta", number.Any, "", "the greatest δ")
	f.utilityAt.Register(fs, "utility-at", number.Any, "", "in place of --delta: the greatest utility loss")
	fs.Int64Var(&f.Compositions, "compositions", 1, "the number of releases")
	f.radius.Register(fs, "range", number.Any, "", "the noise is in [−range, range]")
	f.sensitivity.Register(fs, "sensitivity", number.Any, "1", "how far one record moves an answer")
	cli.Choice(fs, &f.Norm, "utility", "l2", "l1 or l2", "l1 or l2", noise.L1, noise.L2)
	f.cell.Register(fs, "cell", number.Any, "",
		"the width of a cell, which divides range and sensitivity (default: chosen)")
	f.rate.Register(fs, "sampling-probability", number.Any, "1", "of the Poisson sample that a release is of")
	cli.Choice(fs, &f.AnyShape, "shape", "falling",
		"falling from 0, or any: of one release, with every shift up to the sensitivity", "falling or any", false, true)
	const methods, losses = "auto, lp, gradient or sigmoid", "adp, pdp or ma"
	cli.Choice(fs, &f.Method, "method", "auto", methods, methods, learned.Auto, learned.LP, learned.Gradient,
		learned.Sigmoid)
	cli.Choice(fs, &f.Loss, "loss", "adp", "of --method sigmoid: adp, pdp or ma, as in the paper", losses, learn.LossADP,
		learn.LossPDP, learn.LossMA)
	fs.Uint64Var(&f.seed, "seed", 1, "of --method sigmoid, which begins at random")
	fs.StringVarP(&f.output, "output", "o", "", "the file to write the noise to: .json, .yaml or .yml")
	fs.StringVar(&f.picture, "picture", "",
		"also draw: for NAME.svg, .png or .pdf NAME-density, NAME-log-density and NAME-delta")
	cli.RegisterFormat(c, &f.json)
}

// wish returns what the flags want.
func (f *learnFlags) wish() (learned.Wish, error) {
	w := f.Wish
	w.Epsilon, w.Delta, w.Utility, w.Radius = f.epsilon.X, f.delta.X, f.utilityAt.X, f.radius.X
	w.Sensitivity, w.Cell, w.Rate = f.sensitivity.X, f.cell.X, f.rate.X
	if err := cmp.Or(f.epsilon.Required(), f.radius.Required()); err != nil {
		return w, err
	}
	switch {
	case w.Delta == nil && w.Utility == nil:
		return w, errors.New("--delta is missing, want a number in (0, 1), or --utility-at")
	case w.Delta != nil && w.Utility != nil:
		return w, errors.New("--delta and --utility-at are given, want one of them")
	case w.Method == learned.Sigmoid:
		w.Seed = f.seed
	case w.Loss != learn.LossADP:
		return w, errors.New("--loss is of --method sigmoid")
	}
	return w, w.Check()
}

func (f *learnFlags) run(c *cobra.Command) error {
	w, err := f.wish()
	if err != nil {
		return err
	}
	if f.output == "" {
		return errors.New("--output is missing, want the name of a file to write the noise to")
	}
	if err := learned.CheckFile(f.output); err != nil {
		return err
	}
	drawn, err := cli.FigureFormat("picture", f.picture)
	if err != nil {
		return err
	}
	for _, name := range learned.PictureFiles(f.picture) {
		if err := atomicfile.Check(name); err != nil {
			return err
		}
	}
	found, err := cli.Watched(c, func(show func(string)) (learned.Found, error) {
		w.Progress = func(s learn.State) {
			show(fmt.Sprintf("%d gradients, δ %.4g, %s %.5g", s.Gradients, s.Delta, w.Norm, s.Utility))
		}
		return learned.Learn(c.Context(), w)
	})
	if none, ok := errors.AsType[*learned.NoneError](err); ok {
		fmt.Fprintln(c.ErrOrStderr(), "verify: "+none.Error())
		return cmp.Or(cli.Interrupted(c), error(cli.StatusError(cli.StatusWrong)))
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
	return cmp.Or(cli.Write(c, f.json, learned.NewReport(found), found.Text(w, f.output, csv)), cli.Interrupted(c))
}
