// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package tree

import (
	"fmt"
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/packages"
)

// Operations that silently break a bound, by the type that they belong to: those
// that round to nearest, or in a direction of their own, or pass through float64.
// fmt formats a *big.Float by its Format method.
var unsafeMethods = map[string][]string{
	"Float": {"Sqrt", "Text", "String", "Format", "Append", "AppendText", "MarshalText", "UnmarshalText", "MarshalJSON", "UnmarshalJSON",
		"Float64", "Float32", "SetFloat64", "SetString", "Parse", "Scan"},
	"Rat": {"Float64", "Float32", "SetFloat64", "FloatString"},
	"Int": {"Float64"},
}

var unsafeFunctions = []string{"NewFloat", "ParseFloat"}

// Declarations of exact/ that may use float64, with the reason.
var floatsAllowed = []struct{ pkg, declaration, reason string }{
	{"dpverify/exact/interval", "Binary64", "converts a binary64 number exactly; it is what a library under audit used"},
	{"dpverify/exact/interval", "startOfTail", "where Newton's method starts"},
	{"dpverify/exact/convolve", "toDoubles", "integers, exact, and 1/p for a sum whose error is bounded"},
	{"dpverify/exact/convolve", "integer", "an integer that a kernel left in a double, exact"},
	{"dpverify/exact/method", "Plan", "Plan.Cost, in seconds: orders methods and bounds nothing"},
	{"dpverify/exact/method", "madeOf", "estimates Plan.Cost"},
	{"dpverify/exact/method", "closedForm", "estimates Plan.Cost"},
	{"dpverify/exact/method", "Cheap", "compared with Plan.Cost"},
	{"dpverify/exact/method", "moderate", "compared with Plan.Cost"},
	{"dpverify/exact", "bounded", "the work that a grid may take"},
	{"dpverify/exact", "Each", "compared with Plan.Cost"},
	{"dpverify/exact/method", "Solve", "orders methods by Plan.Cost"},
	{"dpverify/exact/method", "isTakenBy", "sorts methods into drafts by Plan.Cost"},
	{"dpverify/exact/method", "Solution", "remembers Plan.Cost"},
	{"dpverify/exact", "search", "compares it"},
	{"dpverify/exact/method", "planRepeated", "estimates Plan.Cost"},
	{"dpverify/exact/closed", "drawnCopies", "logarithms of masses, to choose by"},
	{"dpverify/exact/closed", "NewDraws", "the distance, to choose by"},
	{"dpverify/exact/closed", "copies", "logarithms of masses, to choose by, and whether the mean is passed"},
	{"dpverify/exact/closed", "chosen", "levels that are chosen, of which the condition is checked"},
	{"dpverify/exact/closed", "levels", "chooses levels, which are checked"},
	{"dpverify/exact/closed", "gaussianLevels", "chooses levels, which are checked"},
	{"dpverify/exact/closed", "laplaceLevels", "chooses levels, which are checked"},
	{"dpverify/exact/closed", "slack", "chooses levels, which are checked"},
	{"dpverify/exact/closed", "choose", "chooses levels, which are checked"},
	{"dpverify/exact/closed", "logAdd", "chooses levels, which are checked"},
	{"dpverify/exact/selection", "Law", "parameters in float64, to choose by"},
	{"dpverify/exact/selection", "NewLaw", "parameters in float64, to choose by, and a bracket to start from"},
	{"dpverify/exact/selection", "near", "a number to choose by"},
	{"dpverify/exact/selection", "places", "chooses places; the ranges between any are bounded"},
	{"dpverify/exact/selection", "more", "a difference in float64, to choose by"},
	{"dpverify/exact/selection", "pieceMass", "chooses how fine outputs are cut"},
	{"dpverify/exact/selection", "Base", "masses in float64, to choose by"},
	{"dpverify/exact/selection", "NewBase", "masses in float64, to choose by, and how fine outputs are cut"},
	{"dpverify/exact/selection", "ratio", "orders outputs, which may be in any order"},
	{"dpverify/exact/selection", "estimate", "chooses an order"},
	{"dpverify/exact/selection", "walk", "chooses an order"},
	{"dpverify/exact/selection", "Best", "chooses an order"},
	{"dpverify/exact/selection", "search", "chooses an order"},
	{"dpverify/exact/selection", "Delta", "chooses a set of outputs, which is bounded"},
	{"dpverify/exact/batch", "Bound", "grids in float64"},
	{"dpverify/exact/batch", "New", "a number to choose by"},
	{"dpverify/exact/batch", "weights", "rounded outwards, then held"},
	{"dpverify/exact/batch", "Above", "compares the bound of a search, and takes it exactly"},
	{"dpverify/exact/batch", "ratOf", "converts a float64 exactly"},
	{"dpverify/exact/batch", "law", "weights rounded up, and places that are exact"},
	{"dpverify/exact/batch", "newLaw", "rounds outwards"},
	{"dpverify/exact/batch", "upper", "rounds up"},
	{"dpverify/exact/batch", "lower", "rounds down"},
	{"dpverify/exact/batch", "grid", "proves its errors: see spare"},
	{"dpverify/exact/batch", "newGrid", "proves its errors: see spare"},
	{"dpverify/exact/batch", "far", "a place"},
	{"dpverify/exact/batch", "lone", "weights that are rounded outwards"},
	{"dpverify/exact/batch", "table", "proves its errors: see spare"},
	{"dpverify/exact/batch", "spare", "covers the errors of float64"},
	{"dpverify/exact/batch", "powers", "proves its errors: see spare"},
	{"dpverify/exact/batch", "line", "proves its errors: see spare"},
	{"dpverify/exact/batch", "nodes", "proves its errors: see spare"},
	{"dpverify/exact/batch", "mean", "proves its errors: see spare"},
	{"dpverify/exact/batch", "single", "proves its errors: see spare"},
	{"dpverify/exact/batch", "span", "numbers of few bits, exact"},
	{"dpverify/exact/batch", "halves", "numbers of few bits, exact"},
	{"dpverify/exact/batch", "across", "rounds up"},
	{"dpverify/exact/batch", "shares", "chooses shares, which may be any"},
	{"dpverify/exact/batch", "usual", "chooses shares, which may be any"},
	{"dpverify/exact/batch", "choose", "chooses shares, which may be any"},
	{"dpverify/exact/batch", "cell", "holds a bound"},
	{"dpverify/exact/batch", "bound", "proves its errors: see spare"},
	{"dpverify/exact/batch", "greatest", "numbers of few bits, and the greatest of bounds"},
	{"dpverify/exact/batch", "leastFull", "a number to choose by"},
	{"dpverify/exact/batch", "cells", "holds a bound"},
	{"dpverify/exact/batch", "Less", "compares bounds"},
	{"dpverify/exact/batch", "newTable", "holds tables"},
	{"dpverify/exact/batch", "search", "holds weights"},
	{"dpverify/exact/adversary", "coarse", "multiplies by a power of two, exactly"},
	{"dpverify/exact/adversary", "newCoarseSide", "divides by a power of two, exactly"},
	{"dpverify/exact/adversary", "at", "guesses a point, of which it is checked on which side it is"},
	{"dpverify/exact/adversary", "split", "says whether bounds are good; they hold in any case"},
	{"dpverify/exact/adversary", "factors", "chooses numbers, which may be any"},
	{"dpverify/exact/adversary", "table", "chooses points, which may be any"},
	{"dpverify/exact/adversary", "within", "differences that are exact: see there"},
	{"dpverify/exact/adversary", "corner", "covers the rounding of a difference by 2^−48"},
	{"dpverify/exact/adversary", "weight", "chooses cells, which cover all whatever they weigh"},
	{"dpverify/exact/adversary", "cover", "chooses where cells are cut"},
	{"dpverify/exact/adversary", "inside", "chooses cells, which cover all whatever they weigh"},
	{"dpverify/exact/adversary", "gatheredAt", "guesses a point, of which it is checked on which side it is"},
	{"dpverify/exact/adversary", "groups", "chooses groups, which may be any"},
	{"dpverify/exact/adversary", "records", "chooses how far tables go, and how fine they are"},
	{"dpverify/exact/adversary", "moments", "chooses groups, which may be any"},
	{"dpverify/exact/adversary", "GridOf", "chooses a grid"},
	{"dpverify/exact/adversary", "newDuel", "guesses a point, of which it is checked on which side it is"},
	{"dpverify/exact/adversary", "room", "about the ratios of points, to choose by"},
	{"dpverify/exact/adversary", "beside", "covers its rounding"},
	{"dpverify/exact/adversary", "hull", "covers its rounding"},
	{"dpverify/exact/adversary", "test", "covers its rounding"},
	{"dpverify/exact/adversary", "turns", "bounds its rounding"},
	{"dpverify/exact/adversary", "near", "the number of a point, of which it is checked on which side it is"},
	{"dpverify/exact/adversary", "values", "chooses how far a table goes"},
	{"dpverify/exact/adversary", "move", "sums squares, for a bound of errors that covers this one"},
	{"dpverify/exact/adversary", "family", "sums squares, for a bound of errors that covers this one"},
	{"dpverify/exact/adversary", "convolve", "bounds the errors of transforms: see double.Transform"},
	{"dpverify/exact/adversary", "step", "covers the errors of convolutions and its own"},
	{"dpverify/exact/pld", "discreteExtent", "the variance steers, the ends are enclosed"},
	{"dpverify/exact/pld", "roughLosses", "about the losses, to find the ends among them"},
	{"dpverify/exact/pld", "roughVariance", "the variance steers"},
	{"dpverify/exact/pld", "roughLog", "about a logarithm, with what is known of it"},
	{"dpverify/exact/method", "oneSided", "the cost of a plan"},
	{"dpverify/exact/conversion", "order", "a divergence in float64, to choose by"},
	{"dpverify/exact/renyi/allocated", "integral", "whether an integral is worth trying"},
	{"dpverify/exact/renyi/allocated", "gamma", "the range of an integral, which may be any"},
	{"dpverify/exact/renyi/allocated", "nearest", "numbers to choose by"},
	{"dpverify/exact/renyi/allocated", "approx", "numbers to choose by"},
	{"dpverify/exact/renyi/allocated", "newGamma", "chooses a range and a step: what is left out of the range is bounded"},
	{"dpverify/exact/renyi/allocated", "stepFor", "chooses a step"},
	{"dpverify/exact/renyi/allocated", "share", "chooses a step"},
	{"dpverify/exact/renyi/allocated", "coarseRat", "converts a float64 exactly"},
	{"dpverify/exact/renyi/allocated", "lost", "chooses a line: the bound holds on any"},
	{"dpverify/exact/renyi/allocated", "source", "whether a range was found"},
	{"dpverify/exact/renyi/allocated", "listed", "chooses a range"},
	{"dpverify/exact/renyi/allocated", "gaussian", "chooses a range and steps: what is left out, and the error of a step, are bounded"},
	{"dpverify/exact/renyi/allocated", "wrongOf", "chooses a line: the bound holds on any"},
	{"dpverify/exact/renyi/allocated", "value", "chooses a range: what is left out is bounded"},
	{"dpverify/exact/conversion", "both", "fills an order"},
	{"dpverify/exact/conversion", "guess", "a pair of two outcomes that is tried"},
	{"dpverify/exact/conversion", "guessOf", "a pair of two outcomes that is tried"},
	{"dpverify/exact/conversion", "slack", "chooses a pair of two outcomes"},
	{"dpverify/exact/conversion", "highest", "chooses a pair of two outcomes"},
	{"dpverify/exact/conversion", "worst", "chooses a pair of two outcomes"},
	{"dpverify/exact/conversion", "binding", "chooses orders"},
	{"dpverify/exact/conversion", "choose", "chooses a pair and orders"},
	{"dpverify/exact/conversion", "refine", "chooses an order"},
	{"dpverify/exact/conversion", "float64Of", "numbers to choose by"},
	{"dpverify/exact/conversion", "ratOf", "converts a float64 exactly"},
	{"dpverify/exact/conversion", "bestOrder", "chooses an order: the bound holds at any"},
	{"dpverify/exact/conversion", "short", "chooses an order"},
	{"dpverify/exact/least", "Curve", "for choices"},
	{"dpverify/exact/least", "NewCurve", "for choices"},
	{"dpverify/exact/least", "At", "for choices"},
	{"dpverify/exact/least", "number", "for choices"},
	{"dpverify/exact/least", "Least", "for choices"},
	{"dpverify/exact/least", "Index", "for choices"},
	{"dpverify/exact/least", "vertex", "for choices"},
	{"dpverify/exact/least", "Section", "for choices"},
	{"dpverify/exact/conversion", "upper", "its bound is proved for whatever was chosen"},
	{"dpverify/exact/conversion", "lower", "the pair that was chosen is seen to keep the guarantee"},
	{"dpverify/exact/lognormal", "node", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "size", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "bound", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "inWords", "chooses contours"},
	{"dpverify/exact/lognormal", "travel", "hands on how a rule is chosen"},
	{"dpverify/exact/allocation", "put", "proves its errors: see Law"},
	{"dpverify/exact/lognormal", "scout", "chooses contours"},
	{"dpverify/exact/lognormal", "scouted", "chooses contours"},
	{"dpverify/exact/lognormal", "reach", "says how many nodes are wanted"},
	{"dpverify/exact/lognormal", "newScout", "chooses contours"},
	{"dpverify/exact/lognormal", "logTransform", "chooses contours"},
	{"dpverify/exact/lognormal", "log", "chooses contours"},
	{"dpverify/exact/lognormal", "quantized", "chooses contours"},
	{"dpverify/exact/lognormal", "choose", "chooses contours, steps and angles"},
	{"dpverify/exact/lognormal", "precision", "chooses a precision"},
	{"dpverify/exact/lognormal", "line", "numbers of binary64, and exact"},
	{"dpverify/exact/lognormal", "hyperbola", "numbers of binary64, and exact"},
	{"dpverify/exact/lognormal", "rule", "numbers of binary64, and exact; its last node is a choice"},
	{"dpverify/exact/lognormal", "last", "chooses the last node"},
	{"dpverify/exact/lognormal", "transform", "what to choose by"},
	{"dpverify/exact/lognormal", "newTransform", "what to choose by"},
	{"dpverify/exact/lognormal", "prepare", "chooses how many nodes there are"},
	{"dpverify/exact/lognormal", "at", "chooses a rule"},
	{"dpverify/exact/lognormal", "sumThree", "compares a bound with a power of 2"},
	{"dpverify/exact/lognormal", "aliased", "takes a number of binary64 exactly"},
	{"dpverify/exact/lognormal", "exactly", "takes a number of binary64 exactly"},
	{"dpverify/exact/lognormal", "outer", "numbers of binary64, and exact"},
	{"dpverify/exact/lognormal", "inner", "numbers of binary64, and exact"},
	{"dpverify/exact/lognormal", "chooseInner", "chooses steps and angles"},
	{"dpverify/exact/lognormal", "longest", "chooses steps"},
	{"dpverify/exact/lognormal", "chooseOuter", "chooses steps and angles"},
	{"dpverify/exact/lognormal", "by", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "left", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "right", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "aliases", "takes numbers of binary64 exactly"},
	{"dpverify/exact/lognormal", "power", "takes a number of binary64 exactly"},
	{"dpverify/exact/lognormal", "route", "what it was chosen for"},
	{"dpverify/exact/lognormal", "contour", "says how a rule is chosen"},
	{"dpverify/exact/markov", "Chain", "its numbers are what these are"},
	{"dpverify/exact/markov", "Gram", "takes numbers exactly"},
	{"dpverify/exact/markov", "covariances", "takes numbers exactly"},
	{"dpverify/exact/markov", "exactly", "an interval of one number"},
	{"dpverify/exact/markov", "seen", "takes numbers exactly"},
	{"dpverify/exact/markov", "valid", "compares numbers"},
	{"dpverify/exact/markov", "variance", "takes numbers exactly"},
	{"dpverify/exact/markov", "atMost", "a factor that is tried, whose residual is enclosed"},
	{"dpverify/exact/markov", "cholesky", "a factor that is tried"},
	{"dpverify/exact/markov", "Settings", "the work that is allowed"},
	{"dpverify/exact/markov", "at", "numbers of few bits, exact; masses with a bound of their errors"},
	{"dpverify/exact/markov", "dyadic", "a number of few bits"},
	{"dpverify/exact/markov", "from", "chooses a lattice"},
	{"dpverify/exact/markov", "lattice", "numbers of few bits, exact"},
	{"dpverify/exact/markov", "lay", "chooses lattices"},
	{"dpverify/exact/markov", "layPlaces", "chooses places, which are integers and exact"},
	{"dpverify/exact/markov", "leaving", "takes numbers exactly, and upper ends"},
	{"dpverify/exact/markov", "newPlan", "chooses lattices"},
	{"dpverify/exact/markov", "pi", "π between two numbers"},
	{"dpverify/exact/markov", "plan", "lattices that are chosen, and upper ends"},
	{"dpverify/exact/markov", "variances", "chooses variances, and checks them"},
	{"dpverify/exact/markov", "wavesOf", "takes numbers exactly"},
	{"dpverify/exact/markov", "wavesPower", "takes numbers exactly"},
	{"dpverify/exact/markov", "widening", "chooses variances"},
	{"dpverify/exact/markov", "work", "estimates work"},
	{"dpverify/exact/markov", "bell", "masses with a bound of their errors"},
	{"dpverify/exact/markov", "newBell", "bounds the errors of masses"},
	{"dpverify/exact/markov", "shrunk", "a variance that is chosen, and checked"},
	{"dpverify/exact/markov", "addAbove", "proves its errors: see docs/theorems.md"},
	{"dpverify/exact/markov", "addBelow", "proves its errors"},
	{"dpverify/exact/markov", "by", "places are integers; shares with errors that are counted"},
	{"dpverify/exact/markov", "close", "proves its errors"},
	{"dpverify/exact/markov", "factor", "takes a bound of errors"},
	{"dpverify/exact/markov", "kernel", "masses with a bound of their errors"},
	{"dpverify/exact/markov", "law", "masses, and bounds of their errors"},
	{"dpverify/exact/markov", "lawOf", "counts errors"},
	{"dpverify/exact/markov", "layer", "a number of few bits, exact"},
	{"dpverify/exact/markov", "move", "shares with errors that are counted"},
	{"dpverify/exact/markov", "newMove", "shares with errors that are counted"},
	{"dpverify/exact/markov", "rests", "sums whose errors are covered"},
	{"dpverify/exact/markov", "row", "masses"},
	{"dpverify/exact/markov", "start", "masses with a bound of their errors"},
	{"dpverify/exact/markov", "step", "sums whose errors are covered"},
	{"dpverify/exact/markov", "table", "masses and terms, with bounds of their errors"},
	{"dpverify/exact/markov", "term", "an integer near a term, with a bound of its error"},
	{"dpverify/exact/markov", "trim", "leaves masses out, and counts them"},
	{"dpverify/exact/markov", "Bounds", "what chains are chosen for"},
	{"dpverify/exact/markov", "Delta", "compares ends"},
	{"dpverify/exact/markov", "NewBounds", "what chains are chosen for"},
	{"dpverify/exact/markov", "above", "takes numbers exactly"},
	{"dpverify/exact/markov", "below", "takes numbers exactly"},
	{"dpverify/exact/markov", "chosen", "what chains are chosen for"},
	{"dpverify/exact/markov", "floats", "the middles, to choose by"},
	{"dpverify/exact/markov", "near", "what chains are chosen for"},
	{"dpverify/exact/markov", "Near", "a number to choose by"},
	{"dpverify/exact/markov", "sign", "1 or −1"},
	{"dpverify/exact/markov", "ulp", "the error of an operation"},
	{"dpverify/exact/markov", "generous", "covers errors"},
	{"dpverify/exact/markov", "normal", "takes ends exactly"},
	{"dpverify/exact/markov", "put", "takes ends exactly"},
	{"dpverify/exact/replicas", "Delta", "compares ends"},
	{"dpverify/exact/replicas", "Settings", "the work that is allowed"},
	{"dpverify/exact/replicas", "between", "takes 1 exactly"},
	{"dpverify/exact/replicas", "bounds", "takes ends exactly"},
	{"dpverify/exact/replicas", "call", "takes ends exactly"},
	{"dpverify/exact/replicas", "callAbove", "takes numbers exactly, and compares ends"},
	{"dpverify/exact/replicas", "callBelow", "takes numbers exactly"},
	{"dpverify/exact/replicas", "cell", "the middles, to choose by"},
	{"dpverify/exact/replicas", "cells", "the middles, to choose by"},
	{"dpverify/exact/replicas", "coin", "a number with a bound of its error"},
	{"dpverify/exact/replicas", "coinOf", "a number with a bound of its error"},
	{"dpverify/exact/replicas", "counted", "sums whose errors are counted"},
	{"dpverify/exact/replicas", "exactly", "an interval of one number"},
	{"dpverify/exact/replicas", "lay", "chooses a grid, whose numbers are what they are"},
	{"dpverify/exact/replicas", "mean", "takes numbers exactly"},
	{"dpverify/exact/replicas", "newCrowd", "takes 1 exactly"},
	{"dpverify/exact/replicas", "pace", "weights with a bound of their errors"},
	{"dpverify/exact/replicas", "powered", "takes 1 exactly"},
	{"dpverify/exact/replicas", "put", "takes ends exactly"},
	{"dpverify/exact/replicas", "putAbove", "takes numbers exactly, and compares ends"},
	{"dpverify/exact/replicas", "putBelow", "takes numbers exactly"},
	{"dpverify/exact/replicas", "replicas", "compares upper ends"},
	{"dpverify/exact/replicas", "shape", "numbers that are chosen, taken exactly"},
	{"dpverify/exact/replicas", "slope", "takes numbers exactly"},
	{"dpverify/exact/replicas", "value", "takes numbers exactly"},
	{"dpverify/exact/lattice", "Serves", "guesses the work of a sum"},
	{"dpverify/exact/lattice", "release", "rough, to choose by"},
	{"dpverify/exact/lattice", "law", "mean, to choose by"},
	{"dpverify/exact/lattice", "near", "a number to choose by; for angles, off by less than 2^−52 of itself"},
	{"dpverify/exact/lattice", "newLaw", "whether to try, and numbers to choose by"},
	{"dpverify/exact/lattice", "at", "an estimate of log δ, to choose by; of angles, for what is left out with a slack"},
	{"dpverify/exact/lattice", "characteristic", "rough, and what is left out with a slack"},
	{"dpverify/exact/lattice", "newCharacteristic", "what is left out with a slack"},
	{"dpverify/exact/lattice", "counts", "bounds its error by a slack"},
	{"dpverify/exact/lattice", "faint", "about log Φ: keep bounds its error by a slack"},
	{"dpverify/exact/lattice", "keep", "bounds its error by a slack"},
	{"dpverify/exact/lattice", "newNodes", "leaves nodes out with a slack"},
	{"dpverify/exact/lattice", "rough", "a quotient of integers, whose error is bounded"},
	{"dpverify/exact/lattice", "sinCos", "chooses a series for small angles"},
	{"dpverify/exact/lattice", "newWeight", "a lower end"},
	{"dpverify/exact/lattice", "New", "sets it"},
	{"dpverify/exact/lattice", "newPhase", "a slope with a bound of its error"},
	{"dpverify/exact/lattice", "band", "a weight that is a lower end, and what form bounds the errors of"},
	{"dpverify/exact/lattice", "phase", "a slope with a bound of its error"},
	{"dpverify/exact/lattice", "siever", "a threshold, rounded up"},
	{"dpverify/exact/lattice", "sieve", "numbers that may leave out a release, and the work"},
	{"dpverify/exact/lattice", "expected", "guesses the work"},
	{"dpverify/exact/lattice", "pieces", "where a piece ends, which may be anywhere"},
	{"dpverify/exact/lattice", "below", "a threshold, rounded up"},
	{"dpverify/exact/lattice", "order", "the order of releases, which may be any"},
	{"dpverify/exact/lattice", "form", "carries the size of its rounding errors"},
	{"dpverify/exact/lattice", "with", "carries the size of its rounding errors"},
	{"dpverify/exact/lattice", "moved", "carries the size of its rounding errors"},
	{"dpverify/exact/lattice", "least", "where a form is looked at, which may be anywhere"},
	{"dpverify/exact/lattice", "within", "more than the rounding errors that form bounds is allowed for"},
	{"dpverify/exact/lattice", "clipped", "an integer"},
	{"dpverify/exact/lattice", "multiples", "integers below 2^50, with a slack"},
	{"dpverify/exact/lattice", "descend", "multiples next to a run, with a slack"},
	{"dpverify/exact/lattice", "Scale", "a power of 2"},
	{"dpverify/exact/lattice", "Words", "an integer and a bound of the error, rounded up"},
	{"dpverify/exact/quadrature", "Sweep", "proves the errors of its rotations"},
	{"dpverify/exact/quadrature", "addWaves", "a loop of Sweep, whose lemma bounds its rounding"},
	{"dpverify/exact/response", "large", "chooses a grid, and bounds what its sums are rounded by"},
	{"dpverify/exact/inversion/fall", "Bound", "Pairs.Bound and Cuts.Bound prove the errors of their sums"},
	{"dpverify/exact/inversion", "doubleNodes", "chooses where nodes begin and end, and checks it"},
	{"dpverify/exact/inversion", "quickMoment", "chooses a rule by the number of its nodes"},
	{"dpverify/exact/inversion", "newShiftedBound", "chooses how far lines are shifted"},
	{"dpverify/exact/inversion", "planShifted", "chooses a step and a strip, and encloses the error of that"},
	{"dpverify/exact/inversion", "newShiftedRule", "chooses the first and the last node"},
	{"dpverify/exact/inversion", "point", "numbers of few bits, exact"},
	{"dpverify/exact/inversion", "cells", "numbers of few bits, exact"},
	{"dpverify/exact/inversion", "nodes", "chooses where nodes begin and end, and checks it"},
	{"dpverify/exact/inversion", "wordNodes", "chooses where nodes begin and end, and checks it"},
	{"dpverify/exact/inversion", "wordLine", "chooses what a line may cost"},
	{"dpverify/exact/inversion", "wanted", "chooses a precision"},
	{"dpverify/exact/inversion", "length", "chooses how long a line is"},
	{"dpverify/exact/inversion", "decay", "chooses how far a window reaches"},
	{"dpverify/exact/inversion", "line", "chooses what a line may cost"},
	{"dpverify/exact/inversion", "logMoment", "about log M, to choose by"},
	{"dpverify/exact/inversion", "nats", "chooses a precision"},
	{"dpverify/exact/inversion", "reachOf", "chooses a range, and what is outside of it is bounded"},
	{"dpverify/exact/inversion", "chooseRule", "chooses a step and a strip"},
	{"dpverify/exact/allocation", "chain", "chooses grids"},
	{"dpverify/exact/allocation", "newChain", "chooses grids, and what is small enough to be left out"},
	{"dpverify/exact/allocation", "top", "chooses a place"},
	{"dpverify/exact/allocation", "grid", "chooses places, which are integers and exact"},
	{"dpverify/exact/allocation", "sums", "chooses places, which are integers and exact"},
	{"dpverify/exact/allocation", "table", "holds sums: see Law"},
	{"dpverify/exact/allocation", "rows", "proves its errors: see Law"},
	{"dpverify/exact/allocation", "additions", "counts errors"},
	{"dpverify/exact/allocation", "ulp", "the error of an operation"},
	{"dpverify/exact/allocation", "generous", "covers errors"},
	{"dpverify/exact/allocation", "spread", "places that are exact and masses: see Law"},
	{"dpverify/exact/allocation", "leave", "proves its errors: see Law"},
	{"dpverify/exact/allocation", "addSpread", "proves its errors: see Law"},
	{"dpverify/exact/allocation", "grouped", "masses, and places that choose groups: see Law"},
	{"dpverify/exact/allocation", "group", "rounds outwards"},
	{"dpverify/exact/allocation", "sort", "orders groups"},
	{"dpverify/exact/allocation", "addGroups", "proves its errors: see Law"},
	{"dpverify/exact/allocation", "cells", "takes places, exactly"},
	{"dpverify/exact/allocation", "listed", "compares places"},
	{"dpverify/exact/allocation", "from", "takes masses, exactly"},
	{"dpverify/exact/allocation", "upTo", "takes masses, exactly"},
	{"dpverify/exact/allocation", "moments", "takes masses and places, exactly"},
	{"dpverify/exact/allocation", "factor", "takes a bound of errors"},
	{"dpverify/exact/allocation", "Profile", "takes ends of enclosures"},
	{"dpverify/exact/allocation", "greatest", "compares lower ends"},
	{"dpverify/exact/allocation", "Dominating", "takes masses and places, exactly"},
	{"dpverify/exact/allocation", "Dominated", "takes masses, exactly"},
	{"dpverify/exact/allocation", "design", "what is chosen: bounds hold for any"},
	{"dpverify/exact/allocation", "sketch", "chooses designs"},
	{"dpverify/exact/allocation", "newSketch", "chooses designs"},
	{"dpverify/exact/allocation", "likely", "chooses designs"},
	{"dpverify/exact/allocation", "at", "chooses designs"},
	{"dpverify/exact/allocation", "tilt", "chooses designs"},
	{"dpverify/exact/allocation", "logRatio", "chooses designs"},
	{"dpverify/exact/allocation", "near", "where a search starts"},
	{"dpverify/exact/allocation", "weight", "chooses designs"},
	{"dpverify/exact/allocation", "choose", "chooses designs"},
	{"dpverify/exact/allocation", "tilted", "chooses designs"},
	{"dpverify/exact/allocation", "number", "chooses cells"},
	{"dpverify/exact/allocation", "ends", "chooses cells"},
	{"dpverify/exact/allocation", "statistic", "encloses it for what was chosen"},
	{"dpverify/exact/allocation", "exactly", "an interval of one number"},
	{"dpverify/exact/allocation", "ratOf", "converts a float64 exactly"},
	{"dpverify/exact/allocation", "tails", "chooses signs"},
	{"dpverify/exact/allocation", "newEnvelope", "takes what was chosen, exactly"},
	{"dpverify/exact/allocation", "maxOf", "compares ends"},
	{"dpverify/exact/allocation", "newStep", "takes what was chosen, exactly"},
	{"dpverify/exact/allocation", "between", "numbers of 53 bits, exact"},
	{"dpverify/exact/allocation", "above", "numbers of few bits, exact"},
	{"dpverify/exact/allocation", "cell", "chooses a parabola, which bounds whatever it is"},
	{"dpverify/exact/allocation", "Near", "where a search starts"},
	{"dpverify/exact/exponential", "scale", "powers of two, exact"},
	{"dpverify/exact/inversion", "nearEdge", "chooses a neighbourhood"},
	{"dpverify/exact/inversion", "roundDown", "rounds a chosen step"},
}

// Of these packages, the first may do anything with float64: it rounds outwards, and proves the errors
// that it makes. The others may hold and compare float64, which are ends of its intervals, but not
// compute with them, but for the declarations in floatsAllowed.
const floatArithmetic = "dpverify/exact/double"

var floatEnds = []string{
	"dpverify/exact/adversary", "dpverify/exact/exponential",
	"dpverify/exact/inversion", "dpverify/exact/inversion/continuation", "dpverify/exact/inversion/fall",
	"dpverify/exact/inversion/likely", "dpverify/exact/inversion/tapering", "dpverify/exact/inversion/thinning",
	"dpverify/exact/quadrature",
	"dpverify/exact/response",
}

// guesses is how the name of a file begins whose functions choose in float64, and bound nothing.
const guesses = "guess_"

// bans returns the unsafe operations in a type-checked package of exact/.
func bans(p *packages.Package) []string {
	if p.PkgPath == floatArithmetic {
		return nil
	}
	holds := slices.Contains(floatEnds, p.PkgPath)
	var out []string
	report := func(n ast.Node, format string, args ...any) {
		pos := p.Fset.Position(n.Pos())
		out = append(out, fmt.Sprintf("%s:%d: %s", filepath.Base(pos.Filename), pos.Line, fmt.Sprintf(format, args...)))
	}
	for _, file := range p.Syntax {
		for _, d := range file.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if f, ok := p.TypesInfo.Uses[n].(*types.Func); ok && f.Pkg() != nil && f.Pkg().Path() == "math/big" {
						if name := unsafeBig(f); name != "" {
							report(n, "%s is unsafe for bounds", name)
						}
					}
				case *ast.CallExpr:
					if printed := formatsFloat(p, n); printed != nil {
						report(printed, "fmt formats a *big.Float")
					}
				}
				return true
			})
			if strings.HasPrefix(filepath.Base(p.Fset.Position(d.Pos()).Filename), guesses) {
				if f, ok := d.(*ast.FuncDecl); ok && encloses(p, f) {
					report(f, "%s returns an enclosure: it is no guess", f.Name.Name)
				}
				continue
			}
			for _, spec := range declarations(d) {
				if slices.ContainsFunc(floatsAllowed, func(a struct{ pkg, declaration, reason string }) bool {
					return a.pkg == p.PkgPath && a.declaration == spec.name
				}) {
					continue
				}
				seen := map[int]bool{} // one report for each line
				ast.Inspect(spec.node, func(n ast.Node) bool {
					e, ok := n.(ast.Expr)
					if !ok || holds && !computes(p, e) {
						return true
					}
					if tv, ok := p.TypesInfo.Types[e]; ok && isFloat(tv.Type) && !seen[p.Fset.Position(e.Pos()).Line] {
						seen[p.Fset.Position(e.Pos()).Line] = true
						report(e, "%s uses %s", spec.name, tv.Type)
					}
					return true
				})
			}
		}
	}
	return out
}

// encloses reports whether a function returns an enclosure.
func encloses(p *packages.Package, f *ast.FuncDecl) bool {
	results := p.TypesInfo.Defs[f.Name].Type().(*types.Signature).Results()
	for i := range results.Len() {
		switch strings.TrimLeft(results.At(i).Type().String(), "[]*") {
		case "dpverify/exact/interval.Interval", "dpverify/exact/interval.Complex", "dpverify/exact/double.Interval",
			"dpverify/exact/fixed.Real", "dpverify/exact/fixed.Complex":
			return true
		}
	}
	return false
}

// unsafeBig returns how a function of math/big is called, if it is unsafe.
func unsafeBig(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		if slices.Contains(unsafeFunctions, f.Name()) {
			return "big." + f.Name()
		}
		return ""
	}
	t := recv.Type()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	named, ok := t.(*types.Named)
	if ok && slices.Contains(unsafeMethods[named.Obj().Name()], f.Name()) {
		return fmt.Sprintf("(*big.%s).%s", named.Obj().Name(), f.Name())
	}
	return ""
}

// formatsFloat returns an argument of a call of package fmt that is a *big.Float.
func formatsFloat(p *packages.Package, call *ast.CallExpr) ast.Node {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	if f, ok := p.TypesInfo.Uses[sel.Sel].(*types.Func); !ok || f.Pkg() == nil || f.Pkg().Path() != "fmt" {
		return nil
	}
	for _, a := range call.Args {
		if t := p.TypesInfo.Types[a].Type; t != nil && strings.TrimPrefix(t.String(), "*") == "math/big.Float" {
			return a
		}
	}
	return nil
}

// computes reports whether an expression is arithmetic, or calls a function of package math that
// does more than to tell infinities.
func computes(p *packages.Package, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return p.TypesInfo.Types[e].Value == nil
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		f, ok := p.TypesInfo.Uses[sel.Sel].(*types.Func)
		return ok && f.Pkg() != nil && f.Pkg().Path() == "math" && !slices.Contains([]string{"Inf", "NaN"}, f.Name())
	}
	return false
}

func isFloat(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Float64 || b.Kind() == types.Float32 || b.Kind() == types.Complex128 || b.Kind() == types.Complex64)
}

// A declaration is a function, type, variable or constant by its name.
type declaration struct {
	name string
	node ast.Node
}

func declarations(d ast.Decl) []declaration {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return []declaration{{d.Name.Name, d}}
	case *ast.GenDecl:
		var out []declaration
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				out = append(out, declaration{s.Name.Name, s})
			case *ast.ValueSpec:
				out = append(out, declaration{s.Names[0].Name, s})
			}
		}
		return out
	}
	return nil
}

// load returns the packages of patterns like ./exact and ./exact/..., or of their paths. All of the module
// are loaded once, for all tests.
func load(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	all, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	var out []*packages.Package
	for _, pattern := range patterns {
		path := pattern
		if tail, local := strings.CutPrefix(pattern, "./"); local {
			path = "dpverify/" + tail
		}
		tree, below := strings.CutSuffix(path, "/...")
		n := len(out)
		for _, p := range all {
			if (p.PkgPath == path || below && under(p.PkgPath, []string{tree})) && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		if len(out) == n {
			t.Fatalf("%s matches nothing", pattern)
		}
	}
	return out
}

var loadModule = sync.OnceValues(func() ([]*packages.Package, error) { return loadWith(nil, "./...") })

// loadWith parses and type-checks packages, some of whose files stand in overlay.
func loadWith(overlay map[string][]byte, patterns ...string) ([]*packages.Package, error) {
	ps, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo,
		Overlay: overlay,
	}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, p := range ps {
		for _, err := range p.Errors {
			return nil, err
		}
		if len(p.Syntax) == 0 {
			return nil, fmt.Errorf("%s: no files", p.PkgPath)
		}
	}
	if len(ps) == 0 {
		return nil, fmt.Errorf("%v matches nothing", patterns)
	}
	return ps, nil
}

// TestUnsafeOperations: nothing inside exact/ but its tests uses an operation that
// does not round as a bound must.
func TestUnsafeOperations(t *testing.T) {
	for _, p := range load(t, "./exact/...") {
		for _, b := range bans(p) {
			t.Errorf("%s: %s", p.PkgPath, b)
		}
	}
}

// TestUnsafeOperationsBite: each banned operation is found, however it is spelled, in
// a file put among the files of exact/interval; and what is safe is not.
func TestUnsafeOperationsBite(t *testing.T) {
	banned := []string{
		"return new(big.Float).Sqrt(x)",
		"return x.Text('g', 10)",
		"return x.String()",
		"f := x.String; return f()",
		"return (*big.Float).String",
		"f, _ := x.Float64(); return f",
		"f, _ := x.Float32(); return f",
		"y, _ := x.SetString(\"0.1\"); return y",
		"y, _, _ := x.Parse(\"0.1\", 10); return y",
		"return x.Scan",
		"return x.SetFloat64(1)",
		"return big.NewFloat(1)",
		"y, _, _ := big.ParseFloat(\"0.1\", 10, 53, big.ToNearestEven); return y",
		"f, _ := r.Float64(); return f",
		"return r.FloatString(10)",
		"f, _ := n.Float64(); return f",
		"return fmt.Sprintf(\"%v\", x)",
		"return fmt.Sprint(*x)",
		"_, err := fmt.Sscan(\"0.1\", x); return err",
		"var y float64; return y",
		"const half = 0.5; y := half; return y",
		"return int(float32(n.Int64()))",
		"type alias = float64; return any(alias(1))",
	}
	safe := []string{
		"y := new(big.Float).SetInt(n); y.Add(y, x); return y.Cmp(x)",
		"return new(big.Float).SetPrec(8).SetMode(big.ToPositiveInf).SetRat(r)",
		"return fmt.Sprint(n, r)",
	}
	src := "package interval\n\nimport (\n\t\"fmt\"\n\t\"math/big\"\n)\n\nvar _ = fmt.Sprint\n"
	first := strings.Count(src, "\n") + 1 // the line of the first snippet
	for i, snippet := range slices.Concat(banned, safe) {
		src += fmt.Sprintf("func snippet%d(x *big.Float, r *big.Rat, n *big.Int) any { %s }\n", i, snippet)
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const guess = "package interval\n\nfunc guess(x float64) float64 { return x }\n\nfunc bounds(x float64) []Interval { return nil }\n"
	overlay := map[string][]byte{
		filepath.Join(dir, "exact", "interval", "zz_banned.go"):    []byte(src),
		filepath.Join(dir, "exact", "interval", "guess_banned.go"): []byte(guess),
	}
	found := map[int]string{}
	var guessed []string
	ps, err := loadWith(overlay, "./exact/interval")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		for _, b := range bans(p) {
			var line int
			if n, _ := fmt.Sscanf(b, "zz_banned.go:%d:", &line); n == 1 {
				found[line-first] = b
			}
			if strings.HasPrefix(b, guesses) {
				guessed = append(guessed, b)
			}
		}
	}
	if want := []string{"guess_banned.go:5: bounds returns an enclosure: it is no guess"}; !slices.Equal(guessed, want) {
		t.Errorf("of a file of guesses %q, want %q", guessed, want)
	}
	for i, snippet := range banned {
		if found[i] == "" {
			t.Errorf("not found: %s", snippet)
		}
	}
	for i, snippet := range safe {
		if b := found[len(banned)+i]; b != "" {
			t.Errorf("%s: falsely found: %s", snippet, b)
		}
	}
}
