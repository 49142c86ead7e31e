// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package definition runs events: it is the definition of differential privacy as a program, on data sets that one
// can list. It reads a class for the third time, after exact and float, and knows no dominating pair, no profile and no
// theorem: where another reading derives what is the worst, this one looks.
//
// An Instance is one mechanism that an event may be under a neighbouring relation. What the event leaves to an
// adversary, it has chosen: the values of records, the function that noise is added to, the mechanism that
// a guarantee stands for, and all of them anew for each output of an earlier mechanism. Samples are
// enumerated, and noise is cut into finitely many cells, which is a post-processing. So an Instance has, for every pair
// of neighbouring data sets, two distributions on finitely many outcomes, with rational masses or enclosed ones, and
// from these follow δ(ε), divergences and the errors of tests by their definitions, summed over outcomes.
//
// No instance may be above the upper end of an answer about the event; the best of them, where the answer is
// attained, comes as near to its lower end as cells allow.
//
// Readings. Where docs/format.md, docs/relations.md and dp_event.py leave something open, the adversary has the most
// that they allow:
//   - A data set is a multiset of records. Of noise on a sum each record's value is within the bound, and nothing else
//     is: under ADD_OR_REMOVE_ONE and REPLACE_SPECIAL an absent record and a null one add nothing.
//   - The functions of DiscreteGaussianDpEvent and the scores of selections are any functions whose values
//     differ as much as they may between neighbours under the relation asked, and the mechanisms of guarantees any
//     that keep them there. Where neighbours have equally many records, nothing is said of data sets of different
//     sizes: such a mechanism may show how many records it is run on.
//   - A pair given outright is run by whether records of some set are there, as many as a number that the adversary
//     chooses; under REPLACE_ONE by any function of the data with two values.
//   - A group is a unit that stands for up to so many records.
//   - Of an allocation each record has a set of steps of its own.
package definition
