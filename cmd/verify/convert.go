// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/ask/convert"
	"dpverify/internal/cli"
	"dpverify/internal/source"
	"dpverify/mechanism"
)

func newConvert() *cobra.Command {
	var f cli.AskFlags
	var asJSON bool
	var to string
	var at []string
	c := command("convert", cli.Exactly(1, "one TABLE, a file or an event"), func(c *cobra.Command, args []string) error {
		switch {
		case to == "":
			return errors.New("--to is missing, want " + convert.Targets)
		case len(at) == 0:
			return fmt.Errorf("--at is missing, want %s; it may be given more than once", convert.WantAt(to))
		}
		r := f.Request()
		kind, plain := convert.KindOf(to, at)
		q := question{name: to}
		if plain {
			var err error
			if q, err = (askCommand{name: to, kind: kind, flag: "at"}).question(at, r); err != nil {
				return err
			}
		}
		ctx, cancel := r.Limit(c.Context())
		defer cancel()
		src, err := convert.Open(ctx, args[0], to, r.Digits, r.Binary64,
			func() (mechanism.Range, error) { return source.Range(ctx, args[0], c.InOrStdin(), r.Binary64) })
		if err != nil {
			return err
		}
		if r.Events = src.Events; plain {
			if q.sharpen, err = src.Sharpener(to, at, r.Binary64); err != nil {
				return cli.Fault("at", err)
			}
			return askAll(c, r, q, asJSON)
		}
		t := convert.Transform{Question: r.Question, Goal: r.Goal, Of: to, At: at, Binary64: r.Binary64}
		answers, err := src.Compute(c.Context(), t)
		if err != nil {
			return err
		}
		return cli.Write(c, asJSON, t.Report(answers), t.Text(answers))
	})
	fs := c.Flags()
	cli.Choice(fs, &to, "to", "", convert.Targets, convert.Targets, cli.Names(convert.Targets)...)
	fs.StringArrayVar(&at, "at", nil, "where it is wanted; may be given more than once")
	cli.RegisterFormat(c, &asJSON)
	f.Register(c, ask.DefaultDigits)
	return c
}
