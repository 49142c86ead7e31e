// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import "github.com/spf13/cobra"

// newTopics returns the pages of the help that are about no command.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		{
			Use:   "formats",
			Short: "How events, numbers and claims are written",
			Long: `An event is what Google's dp_accounting calls a DpEvent, as JSON or YAML:

  {class_name: SelfComposedDpEvent, count: 1000, event:
    {class_name: PoissonSampledDpEvent, sampling_probability: 256/60000, event:
      {class_name: GaussianDpEvent, noise_multiplier: 1.1}}}

"verify mechanisms" lists the classes and their fields. Events nest 64 deep at most.

A number means exactly what is written: 0.1 is 1/10, and 256/60000 is that fraction.
With --number-format binary64 it is first rounded to the nearest float64, as a library
that computes in float64 has done.

An answer "∈ [lo, hi]" contains the truth: lo is rounded down and hi up in the last
digit. "inf" is ∞.

A file of claims:

  version: 1
  claims:
    - id: my-release
      event: {class_name: GaussianDpEvent, noise_multiplier: 1.1}
      claim: {epsilon: 4, delta: 1e-5}
      expect: verified

docs/format.md has the rest: every event, JSON in and out, exit statuses, schemas.`,
		},
		{
			Use:   "status",
			Short: "What the exit statuses of the commands mean",
			Long: `The exit status says what a script has to know:

  0    certify, report: every verdict is as expected; check, golden, selftest: all agrees;
       audit: no answer is unsound; calibrate: a value is VERIFIED; others: it is answered
  1    certify, report: a decided verdict is another than the expected one, or REFUTED
       where nothing is expected; check: a certificate is contradicted; golden: a case
       fails; audit: an answer is unsound; selftest: a disagreement
  2    it could not run, or not all of it: a wrong flag, a file that cannot be read or
       written, a MALFORMED claim, a question that cannot be answered, an adapter of an
       audit that made a mistake, a bug
  3    it is open: UNDECIDED where it is not expected, a certificate not confirmed, no
       answer that could be judged, no value VERIFIED in time; delta, epsilon, renyi,
       tradeoff: an answer no better than what is known about every event
  130  interrupted; 143 told to end (128 and the number of the signal)

Of several the first of 130, 2, 1, 3, 0 counts. A second interrupt ends verify at once.
Files given with -o are written as a whole or not at all.

"go run" turns every failure into 1: these are of the built program.`,
		},
		{
			Use:   "relations",
			Short: "Which datasets are neighbours, and what a direction is",
			Long: `--relation says which datasets are neighbours:

  ADD_OR_REMOVE_ONE   one has a record more (the default)
  REPLACE_ONE         they differ in one record
  REPLACE_SPECIAL     a record of one is a null record in the other

Noise multipliers are in units of C, the bound of the norm of one record's value: adding
or removing a record moves the answer by C, replacing it by up to 2C.

--direction says which of the two is P in δ(ε) = sup over events S of P(S) − e^ε·Q(S):

  remove   P has the record
  add      Q has the record
  both     the maximum of the two, taken after composition (the default)

Under REPLACE_ONE the two cannot be told apart, so add and remove are errors there
unless every factor of the composition is the same in both directions.

docs/relations.md says what every event means under every relation, with sources;
what is not proved is an error that says so.`,
		},
		{
			Use:   "trust",
			Short: "What is proved, what is only tested, what is trusted",
			Long: `VERIFIED and REFUTED are certain if these are right:

  proved     every rounding, truncation and discretisation error is bounded, on paper,
             beside the code; several methods bound each number, and answers are
             their intersection
  tested     that the code is what the proofs say: against values from outside, exact
             rational arithmetic, a second engine, 2 to 8 bits of precision, and
             mutated code; "verify selftest" repeats some of it on this machine
  trusted    the Go compiler and integer arithmetic, this machine, and theorems of the
             literature (docs/theorems.md); whatever is assumed without a proof is
             noted in the answer

UNDECIDED says nothing: the interval still contains the truth. STATED says nothing,
either: the event is a guarantee that states the claim.

No verdict says that a program samples the noise that the event names, or that the
event describes the release. A guarantee (EpsilonDelta, ZCDp, RenyiCurve,
DominatingPair, the exponential mechanism) stands for the worst mechanism that has it.

docs/trust.md has the rest.`,
		},
	}
}
