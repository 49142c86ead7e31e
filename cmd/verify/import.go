// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"dpverify/importer"
	"dpverify/internal/cli"
	"dpverify/internal/show"
	"dpverify/internal/source"
	"dpverify/number"
)

func newImport() *cobra.Command {
	c := &cobra.Command{
		Use:   "import FORMAT FILE…",
		Short: "Turn what other programs write into a file of claims",
		Long: `Turn what other programs write into a file of claims, for "verify certify":

  opacus  the history of an accountant of Opacus
  opendp  deployments of the registry of OpenDP`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml
  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no FORMAT, want opacus or opendp")
			}
			return fmt.Errorf("unknown format %s, want opacus or opendp", show.Value(args[0]))
		},
		RunE: func(*cobra.Command, []string) error { return nil },
	}
	c.AddCommand(newImportOpacus(), newImportOpenDP())
	return c
}

func newImportOpacus() *cobra.Command {
	var epsilon, delta cli.Number
	var id, derivation, output string
	c := &cobra.Command{
		Use:   "opacus FILE --epsilon E --delta D",
		Short: "The history of an accountant of Opacus: [(noise_multiplier, sample_rate, steps), …]",
		Long: `Turn the history of an accountant of Opacus into a claim. FILE holds the list
[(noise_multiplier, sample_rate, steps), …] as Python prints it or as JSON, or the
accountant's state_dict as JSON, {"history": …, "mechanism": …}; - is standard input.

In Python: json.dump(privacy_engine.accountant.history, open("history.json", "w"))`,
		Example: `  verify import opacus history.json --epsilon 3.0 --delta 1e-5 -o claims.yaml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
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
			return writeClaims(c, output, []importer.Claim{claim})
		},
	}
	fs := c.Flags()
	epsilon.Register(fs, "epsilon", number.NonNegative, "", "the ε that is claimed")
	delta.Register(fs, "delta", number.Probability, "", "the δ that is claimed")
	fs.StringVar(&id, "id", "", "id of the claim (default: the name of the file)")
	fs.StringVar(&derivation, "derivation", "", "how the claim was derived (default: as the accountant does, if the file names it)")
	fs.StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

func newImportOpenDP() *cobra.Command {
	var output string
	c := &cobra.Command{
		Use:   "opendp FILE…",
		Short: "Deployments of the registry of OpenDP, in YAML",
		Long: `Turn deployments of the registry of OpenDP (opendp/deployments-registry-data) into
claims. A deployment states parameters and describes its mechanism in words, so the
event is the guarantee that is stated, and the claim the same: verify certify says
STATED, as nothing can be verified. Put the mechanism in the event's place to test it.

What can be decided is decided: a deployment that states both ρ and (ε, δ) becomes the
claim that ρ-zCDP gives (ε, δ). So does a line of the details of its parameters that
states all three, and one that states the scale of Laplace noise, the sensitivity and ε
becomes a claim about that noise.

A parameter that is no number is never read as one. A deployment of which nothing is
left is left out, and standard error says why.`,
		Example: `  verify import opendp deployments/*.yaml -o claims.yaml`,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
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
			return writeClaims(c, output, all)
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "", "write to this file instead of standard output")
	return c
}

// importSource reads a file that another program wrote.
func importSource(c *cobra.Command, file string) (importer.Source, error) {
	src, err := source.File(file, c.InOrStdin())
	return importer.Source{Name: src.Name, Data: src.Data}, err
}

func writeClaims(c *cobra.Command, path string, claims []importer.Claim) error {
	data, err := importer.Encode(claims)
	if err != nil {
		return err
	}
	return writeOutput(c.OutOrStdout(), path, data)
}
