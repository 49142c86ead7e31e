package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/document"
	"dpverify/exact"
	"dpverify/float"
	"dpverify/mechanism"
	"dpverify/number"
)

const (
	defaultCalibrateDigits = 4
	maxCalibrateDigits     = 12
	defaultCalibrateBudget = 5 * time.Minute
)

func newCalibrate() *cobra.Command {
	var epsilon, delta, format string
	var neighbours neighbourFlags
	var digits int
	var budget time.Duration
	c := &cobra.Command{
		Use:   "calibrate --epsilon E --delta D EVENT",
		Short: "Find the least noise, or the most steps, that meet (ε, δ)",
		Long: `Find the value of one field of EVENT, written "?" there, with which the mechanism is
(ε, δ)-differentially private and gives away the most: the smallest noise_multiplier or
standard_deviation, the largest count, sampling_probability, sample_size or epsilon.

The value is searched for in float64 and certified by the exact engine, so it never
overshoots. The next value, in the last of --digits decimal digits or the next integer,
is certified not to do, where that can be decided. Where there is no next value, the
output says why: it is the last one that there is, such as the probability 1, or the last
that is tried. Noise is tried from 10^7 down to 10^-5, epsilon up to 10^6.

Exit status: 0 a value is VERIFIED, 2 no value does or the search could not run, 3 none
was VERIFIED within the budget.

` + eventHelp,
		Example: `  verify calibrate --epsilon 1 --delta 1e-5 '{class_name: GaussianDpEvent, noise_multiplier: "?"}'
  verify calibrate --epsilon 1 --delta 1e-5 '{class_name: SelfComposedDpEvent, count: "?", event: {class_name: LaplaceDpEvent, noise_multiplier: 20}}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			asJSON, err := parseFormat(format)
			if err != nil {
				return err
			}
			if digits < 1 || digits > maxCalibrateDigits {
				return fmt.Errorf("--digits = %d, want an integer in [1, %d]", digits, maxCalibrateDigits)
			}
			if budget <= 0 || budget > ask.MaxBudget {
				return fmt.Errorf("--budget = %v, want more than 0 and at most %v", budget, time.Duration(ask.MaxBudget))
			}
			k := calibration{budget: budget}
			if k.relation, k.direction, err = neighbours.parse(); err != nil {
				return err
			}
			for _, f := range []struct {
				name, text string
				into       **big.Rat
			}{{"epsilon", epsilon, &k.epsilon}, {"delta", delta, &k.delta}} {
				if f.text == "" {
					return fmt.Errorf("--%s is missing, want a number >= 0", f.name)
				}
				if *f.into, err = parseNumber(f.name, f.text, false); err != nil {
					return err
				}
				if (*f.into).Sign() < 0 {
					return fmt.Errorf("--%s = %s, want a number >= 0", f.name, f.text)
				}
			}
			if err := k.read(args[0], c.InOrStdin(), digits); err != nil {
				return err
			}
			p := newProgress(c.ErrOrStderr(), -1)
			k.step = func(what string) { p.describe(what) }
			var found finding
			crash := ask.Guard(func() error {
				found, err = k.find(c.Context())
				return nil
			})
			p.close()
			switch {
			case crash != nil:
				return crash
			case err != nil && c.Context().Err() != nil:
				return errInterrupted
			case err != nil:
				return err
			}
			print := k.printText
			if asJSON {
				print = k.printJSON
			}
			if err := print(c.OutOrStdout(), found); err != nil {
				return err
			}
			if found.best == nil {
				return statusError(statusUndecided)
			}
			return nil
		},
	}
	fs := c.Flags()
	fs.StringVar(&epsilon, "epsilon", "", "ε in nats")
	fs.StringVar(&delta, "delta", "", "δ")
	neighbours.register(c)
	fs.IntVar(&digits, "digits", defaultCalibrateDigits, "significant digits of the value")
	fs.DurationVar(&budget, "budget", defaultCalibrateBudget, "how long to certify one value")
	registerFormat(c, &format)
	return c
}

// A calibration is the search for one parameter.
type calibration struct {
	epsilon, delta *big.Rat
	relation       mechanism.Relation
	direction      mechanism.Direction
	budget         time.Duration
	step           func(what string)

	root    *document.Node
	unknown *document.Node
	decoder mechanism.Decoder
	locate  func(error) error
	field   string
	scale   scale
}

// A candidate is a value of the parameter with its certified verdict; the verdict is
// empty if the value is outside the domain.
type candidate struct {
	value   *big.Rat
	outcome *certify.Outcome
}

// A finding is the result of a search: the best value that is VERIFIED, nil if there is
// none, and the next one, which is less private; without that, ended says why.
type finding struct {
	best, next *candidate
	ended      string
}

// read reads the event and finds the unknown in it.
func (k *calibration) read(arg string, stdin io.Reader, digits int) error {
	src, err := readEvent(arg, stdin)
	if err != nil {
		return err
	}
	if k.root, err = certify.ParseDocument(src.data); err != nil {
		return src.locate(err)
	}
	k.decoder = mechanism.Decoder{Open: certify.OpenIn(src.dir)}
	k.locate = src.locate
	var unknowns []unknown
	findUnknowns(k.root, unknown{}, &unknowns)
	if len(unknowns) != 1 {
		return src.locate(fmt.Errorf(`%d fields are "?", want one`, len(unknowns)))
	}
	k.field, k.unknown = unknowns[0].key, unknowns[0].value
	s, ok := scaleOf(k.field, unknowns[0].of, digits)
	if !ok {
		return src.locate(fmt.Errorf(`%s = "?", want one of noise_multiplier, standard_deviation, count, sampling_probability, sample_size and epsilon`, certify.Printable(k.field)))
	}
	k.scale = s
	return nil
}

// An unknown is a field with the value "?", of a mapping.
type unknown struct {
	key       string
	of, value *document.Node
}

// findUnknowns lists the unknowns from a node on, which is where at says.
func findUnknowns(n *document.Node, at unknown, into *[]unknown) {
	if n == nil {
		return
	}
	if n.Kind == document.String && n.Text == "?" {
		at.value = n
		*into = append(*into, at)
	}
	for _, x := range n.Items {
		findUnknowns(x, at, into)
	}
	for _, e := range n.Entries {
		findUnknowns(e.Value, unknown{key: e.Key, of: n}, into)
	}
}

// event returns the event with a value in the place of the unknown.
func (k *calibration) event(x *big.Rat) (mechanism.Event, error) {
	k.unknown.Kind, k.unknown.Text = document.String, number.Format(x)
	e, err := k.decoder.Event(k.root, "event")
	if err != nil {
		return nil, k.locate(err)
	}
	return e, nil
}

// find searches from the most private value on: in steps that double until a value
// fails, then by bisection, all on estimates; then in single steps, certified.
func (k *calibration) find(ctx context.Context) (finding, error) {
	good := func(i int64) (bool, error) {
		x := k.scale.at(i)
		k.step(fmt.Sprintf("%s = %s", k.field, number.Format(x)))
		return k.estimate(ctx, x)
	}
	ok, err := good(0)
	if err != nil {
		return finding{}, err
	}
	if !ok {
		return finding{}, fmt.Errorf("no %s does: at %s, the most private value that is tried, δ(%s) is above %s", k.field, number.Format(k.scale.at(0)), number.Format(k.epsilon), number.Format(k.delta))
	}
	lo, hi := int64(0), int64(1) // lo is good; hi is not, or is past the end
	for ; hi < k.scale.size; hi *= 2 {
		if ok, err = good(hi); err != nil {
			return finding{}, err
		} else if !ok {
			break
		}
		lo = hi
	}
	for hi = min(hi, k.scale.size); hi-lo > 1; {
		mid := lo + (hi-lo)/2
		if ok, err = good(mid); err != nil {
			return finding{}, err
		} else if ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	return k.certify(ctx, lo)
}

// maxCertified bounds the values that are certified one by one: estimates are right to
// the last digit or next to it.
const maxCertified = 32

// certify finds the border between VERIFIED and the rest, next to index i.
func (k *calibration) certify(ctx context.Context, i int64) (finding, error) {
	var f finding
	for range maxCertified {
		c, err := k.decide(ctx, i)
		if err != nil {
			return f, err
		}
		if c.outcome.Verdict == certify.Verified {
			f.best = c
			switch {
			case f.next != nil:
				return f, nil
			case i+1 >= k.scale.size:
				f.ended = k.scale.end
				return f, nil
			}
			i++
			continue
		}
		f.next = c
		if f.best != nil || i == 0 {
			return f, nil
		}
		i--
	}
	if f.next == nil {
		f.ended = fmt.Sprintf("the search ends after %d certified values, and the next may do, too", maxCertified)
	}
	return f, nil
}

// decide certifies the value at an index.
func (k *calibration) decide(ctx context.Context, i int64) (*candidate, error) {
	x := k.scale.at(i)
	k.step(fmt.Sprintf("certifying %s = %s", k.field, number.Format(x)))
	e, err := k.event(x)
	if err != nil {
		return nil, err
	}
	claim := &certify.Claim{
		MorePrivate: e, LessPrivate: e, Relation: k.relation, Direction: k.direction,
		Statement: certify.Statement{Epsilon: k.epsilon, Delta: k.delta, Written: [2]string{number.Format(k.epsilon), number.Format(k.delta)}},
	}
	o, err := certify.Truth(ctx, claim, certify.Options{Budget: k.budget})
	switch {
	case err != nil:
		return nil, err
	case o.Verdict == certify.Malformed:
		return nil, o.Err
	}
	return &candidate{x, o}, nil
}

// estimate reports whether a value seems to do: by the fast path where it is accurate,
// else by the exact engine at little effort.
func (k *calibration) estimate(ctx context.Context, x *big.Rat) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	e, err := k.event(x)
	if err != nil {
		return false, err
	}
	a, err := k.fast(ctx, e)
	var unsupported *float.UnsupportedError
	switch {
	case err == nil:
		d, _ := k.delta.Float64()
		if a.Hi() <= d || a.Lo() > d || a.Rel() < 1e-3 {
			return a.V <= d, nil
		}
	case ctx.Err() != nil, !errors.As(err, &unsupported) && !errors.Is(err, context.DeadlineExceeded):
		return false, err
	}
	q := exact.Question{Event: e, Relation: k.relation, Direction: k.direction, Scale: k.delta}
	y, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) { return exact.Delta(ctx, q, k.epsilon, 1) })
	if err != nil {
		return false, err
	}
	mid, _ := y.Lo().Rat(nil)
	high, _ := y.Hi().Rat(nil)
	mid.Add(mid, high)
	return mid.Quo(mid, big.NewRat(2, 1)).Cmp(k.delta) <= 0, nil
}

// fast is δ at the wanted ε by the fast path, within the budget.
func (k *calibration) fast(ctx context.Context, e mechanism.Event) (float.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, k.budget)
	defer cancel()
	p, err := float.Prepare(ctx, float.Question{Event: e, Relation: k.relation, Direction: k.direction})
	if err != nil {
		return float.Answer{}, err
	}
	return p.Delta(ctx, k.epsilon)
}

func (k *calibration) printText(w io.Writer, f finding) error {
	var b strings.Builder
	line := func(c *candidate) {
		o := c.outcome
		fmt.Fprintf(&b, "%s = %s  %s", k.field, k.scale.format(c.value), strings.ToUpper(string(o.Verdict)))
		if o.Delta != nil {
			lo, hi := o.Delta.Decimal(ask.DefaultDigits)
			fmt.Fprintf(&b, "  δ(%s) %s   (%s)", number.Format(k.epsilon), member(lo, hi), strings.Join(o.Methods, ", "))
		}
		if o.Reason != "" {
			fmt.Fprintf(&b, "\n  %s", o.Reason)
		}
		b.WriteByte('\n')
	}
	if f.best != nil {
		line(f.best)
	}
	if f.next != nil {
		line(f.next)
	}
	if f.ended != "" {
		b.WriteString(f.ended + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A candidateReport is a candidate in JSON.
type candidateReport struct {
	Value   string          `json:"value"`
	Verdict certify.Verdict `json:"verdict"`
	Lo      string          `json:"lo,omitempty"`
	Hi      string          `json:"hi,omitempty"`
	Methods []string        `json:"methods"`
	Effort  exact.Effort    `json:"effort"`
	Reason  string          `json:"reason,omitempty"`
}

func (k *calibration) printJSON(w io.Writer, f finding) error {
	report := func(c *candidate) *candidateReport {
		if c == nil {
			return nil
		}
		o := c.outcome
		r := &candidateReport{Value: k.scale.format(c.value), Verdict: o.Verdict, Methods: o.Methods, Effort: o.Effort, Reason: o.Reason}
		if o.Delta != nil {
			r.Lo, r.Hi = o.Delta.Decimal(ask.DefaultDigits)
		}
		return r
	}
	return writeJSON(w, struct {
		Version int              `json:"version"`
		Field   string           `json:"field"`
		Epsilon string           `json:"epsilon"`
		Delta   string           `json:"delta"`
		Best    *candidateReport `json:"best"`
		Next    *candidateReport `json:"next,omitempty"`
		Ended   string           `json:"ended,omitempty"` // why there is no next one
	}{1, k.field, number.Format(k.epsilon), number.Format(k.delta), report(f.best), report(f.next), f.ended})
}
