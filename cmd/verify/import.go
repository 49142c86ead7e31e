// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"dpverify/ask/importer"
	"dpverify/internal/atomicfile"
	"dpverify/internal/cli"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/source"
)

func newImport() *cobra.Command {
	c := command("import", func(*cobra.Command, []string) error {
		return errors.New("no FORMAT, want opacus, opendp or rho") // others are named before
	}, func(*cobra.Command, []string) error { return nil })
	c.AddCommand(newImportOpacus(), newImportOpenDP(), newImportRho())
	return c
}

func newImportOpacus() *cobra.Command {
	var epsilon, delta cli.Number
	var id, derivation, output string
	c := command("import-opacus", cli.Exactly(1, "one FILE or - for standard input"),
		func(c *cobra.Command, args []string) error {
			if err := cmp.Or(epsilon.Required(), delta.Required()); err != nil {
				return err
			}
			src, err := importSource(c, args[0])
			if err != nil {
				return err
			}
			claim, err := importer.Opacus(src, epsilon.Text, delta.Text)
			if err != nil {
				return err
			}
			claim.ID, claim.Derivation = cmp.Or(id, claim.ID), cmp.Or(derivation, claim.Derivation)
			return writeClaims(c, args, output, []importer.Claim{claim})
		})
	fs := c.Flags()
	epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε that is claimed")
	delta.Register(fs, "delta", number.Probability, "", "the δ that is claimed")
	fs.StringVar(&id, "id", "", "id of the claim (default: the name of the file)")
	fs.StringVar(&derivation, "derivation", "",
		"how the claim was derived (default: as the accountant does, if the file names it)")
	fs.StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

func newImportOpenDP() *cobra.Command {
	var output string
	c := command("import-opendp", cli.SomeArguments("no FILE, want at least one, or - for standard input"),
		func(c *cobra.Command, files []string) error {
			var all []importer.Claim
			for _, file := range files {
				src, err := importSource(c, file)
				if err != nil {
					return err
				}
				claims, warnings, err := importer.OpenDP(src)
				if err != nil {
					return err
				}
				for _, warning := range warnings {
					fmt.Fprintf(c.ErrOrStderr(), "verify: %v\n", warning)
				}
				all = append(all, claims...)
			}
			if len(all) == 0 {
				return errors.New("no deployment states its parameters")
			}
			return writeClaims(c, files, output, all)
		})
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

func newImportRho() *cobra.Command {
	var epsilon, delta cli.Number
	var id, variance, output string
	want := "want " + strings.Join(slices.Sorted(maps.Keys(importer.Variances)), " or ")
	some := cli.SomeArguments("no FILE, want at least one, or - for standard input")
	c := command("import-rho", some, func(c *cobra.Command, files []string) error {
		if err := cmp.Or(epsilon.Required(), delta.Required()); err != nil {
			return err
		}
		multiple, ok := importer.Variances[variance]
		if !ok {
			return fmt.Errorf("--variance = %s, %s", show.Value(variance), want)
		}
		var sources []importer.Source
		for _, file := range files {
			src, err := importSource(c, file)
			if err != nil {
				return err
			}
			sources = append(sources, src)
		}
		claim, err := importer.Budgets(sources, multiple, epsilon.Text, delta.Text)
		if err != nil {
			return err
		}
		claim.ID = cmp.Or(id, claim.ID)
		return writeClaims(c, files, output, []importer.Claim{claim})
	})
	fs := c.Flags()
	epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε that is claimed")
	delta.Register(fs, "delta", number.Probability, "", "the δ that is claimed")
	fs.StringVar(&variance, "variance", "", "the variance of the noise, "+strings.TrimPrefix(want, "want "))
	fs.StringVar(&id, "id", "", "id of the claim (default: the names of the files)")
	fs.StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// importSource reads a file that another program wrote.
func importSource(c *cobra.Command, file string) (importer.Source, error) {
	src, err := source.File(c.Context(), file, c.InOrStdin())
	return importer.Source{Name: src.Name, Data: src.Data}, err
}

func writeClaims(c *cobra.Command, read []string, path string, claims []importer.Claim) error {
	data, err := importer.Encode(claims)
	if err = cmp.Or(err, atomicfile.Check(path, read...)); err != nil {
		return err
	}
	return cli.WriteOutput(c.OutOrStdout(), path, data)
}
