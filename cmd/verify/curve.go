package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
	"dpverify/figure"
	"dpverify/mechanism"
	"dpverify/number"
)

// What a curve that was not asked for more precisely shows.
const (
	defaultPoints      = 101
	defaultCounts      = 25 // points over the number of compositions: each is a profile of its own
	defaultCurveDigits = 3
	maxPoints          = 10_000
)

// leastDelta is the δ that a curve goes down to where no end of its range is given.
var leastDelta = number.PowerOfTen(-10)

func newCurve() *cobra.Command {
	var f curveFlags
	var format string
	c := &cobra.Command{
		Use:   "curve EVENT",
		Short: "Print δ over a range of ε, or ε over the number of compositions",
		Long: `Print enclosures of δ(ε) at ε from --from to --to; or, with --compositions N, of the
least ε at --delta for 1 to N copies of the mechanism. CSV has one line a point, with
a lower and an upper bound; what is not as accurate as wanted has complete = false,
and standard error says why.

` + askHelp,
		Example: `  verify curve '{class_name: GaussianDpEvent, noise_multiplier: 1}'
  verify curve --from 0 --to 3 --points 31 --format json event.json
  verify curve --delta 1e-5 --compositions 1000 '{class_name: LaplaceDpEvent, noise_multiplier: 10}'`,
		Args: oneEvent,
		RunE: func(c *cobra.Command, args []string) error {
			print := printCurveCSV
			switch format {
			case "csv":
			case "json":
				print = printCurveJSON
			default:
				return fmt.Errorf("--format = %q, want csv or json", format)
			}
			r, err := f.parse(c, args[0])
			if err != nil {
				return err
			}
			v, err := r.compute(c)
			if err != nil && v == nil {
				return err
			}
			if err := print(c.OutOrStdout(), v); err != nil {
				return err
			}
			if err != nil {
				return errInterrupted
			}
			if format == "csv" {
				v.remark(c.ErrOrStderr())
			}
			return nil
		},
	}
	c.Flags().StringVar(&format, "format", "csv", "csv or json")
	f.register(c, defaultCurveDigits)
	return c
}

// curveFlags are the flags of the commands that ask for a curve.
type curveFlags struct {
	askFlags
	from, to, delta string
	compositions    int64
	points          int
}

func (f *curveFlags) register(c *cobra.Command, digits int) {
	fs := c.Flags()
	fs.StringVar(&f.from, "from", "0", "the first ε, in nats")
	fs.StringVar(&f.to, "to", "", "the last ε (default: about where δ reaches 1e-10)")
	fs.Int64Var(&f.compositions, "compositions", 0, "show ε over 1 to so many compositions of the mechanism, at --delta")
	fs.StringVar(&f.delta, "delta", "", "the δ of --compositions")
	fs.IntVar(&f.points, "points", defaultPoints, fmt.Sprintf("how many points, evenly spaced (with --compositions, default %d)", defaultCounts))
	f.askFlags.register(c, digits)
}

// A curveRequest asks for a curve.
type curveRequest struct {
	request
	from, to     *big.Rat // of ε; to is nil if it is to be found
	compositions int64    // if not 0, ε over the number of compositions
	delta        *big.Rat // and at this δ
	points       int
	// drawn curves begin with few points, over ε up to a tick and over compositions spaced by
	// their logarithm, and get others where they bend.
	drawn bool
}

// parse reads the flags and the event.
func (f *curveFlags) parse(c *cobra.Command, event string) (curveRequest, error) {
	r := curveRequest{points: f.points, compositions: f.compositions}
	if f.points < 2 || f.points > maxPoints {
		return r, fmt.Errorf("--points = %d, want an integer in [2, %d]", f.points, maxPoints)
	}
	over := c.Flags().Changed("compositions")
	if over && !c.Flags().Changed("points") {
		r.points = defaultCounts
	}
	if over && (f.compositions < 1 || f.compositions > mechanism.MaxCount) {
		return r, fmt.Errorf("--compositions = %d, want an integer in [1, %d]", f.compositions, int64(mechanism.MaxCount))
	}
	switch {
	case over && f.delta == "":
		return r, errors.New("--delta is missing, want the δ at which --compositions shows ε")
	case over && (c.Flags().Changed("from") || c.Flags().Changed("to")):
		return r, errors.New("--from and --to are a range of ε, want neither with --compositions")
	case !over && c.Flags().Changed("delta"):
		return r, errors.New("--delta is for --compositions, want both or neither")
	}
	var err error
	if r.request, err = f.askFlags.parse(c, event); err != nil {
		return r, err
	}
	if over {
		r.delta, err = parseDelta(f.delta, r.binary64)
		return r, err
	}
	if r.from, err = parseNumber("from", f.from, r.binary64); err != nil {
		return r, err
	}
	if f.to == "" && !c.Flags().Changed("to") {
		return r, nil
	}
	if r.to, err = parseNumber("to", f.to, r.binary64); err == nil && r.to.Cmp(r.from) <= 0 {
		err = fmt.Errorf("--to = %s, want more than --from = %s", number.Format(r.to), number.Format(r.from))
	}
	return r, err
}

// A curve is a quantity over another one, enclosed at points.
type curve struct {
	curveRequest
	over   string     // epsilon or compositions
	of     string     // delta or epsilon
	at     []*big.Rat // the points
	values []ask.Answer
	// question is that of all points over ε.
	question exact.Question
}

// compute computes a curve. With ctx's error there is what was reached, if anything.
func (r curveRequest) compute(c *cobra.Command) (*curve, error) {
	p := newProgress(c.ErrOrStderr(), -1)
	defer p.close()
	p.describe("looking for the range")
	r.Started = time.Now()
	if r.compositions != 0 {
		return r.overCompositions(c.Context(), p)
	}
	return r.overEpsilon(c.Context(), p)
}

// overEpsilon encloses δ over a range of ε. All points share one profile for each
// effort.
func (r curveRequest) overEpsilon(ctx context.Context, p *progress) (*curve, error) {
	limited, cancel := r.Limit(ctx)
	defer cancel()
	question := r.Question
	var err error
	if r.to == nil {
		question.Scale = leastDelta
		if r.to, err = r.end(limited); r.drawn && err == nil {
			_, end := figure.Ticked(toFloat64(r.from), toFloat64(r.to), 9)
			r.to = shortest(end)
		}
	} else {
		question.Scale, err = scaleAt(limited, question, r.to)
	}
	if err != nil && limited.Err() == nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, errInterrupted
	}
	first := r.points
	if r.drawn {
		first = min(first, firstDrawn)
	}
	r.Profiles = ask.Profiles{}
	v := &curve{curveRequest: r, over: "epsilon", of: "delta", question: question}
	if err := v.extend(ctx, p, spaced(r.from, r.to, first)); err != nil {
		if v.values == nil {
			return nil, err
		}
		return v, err
	}
	return v, nil
}

// extend encloses a curve at further points. With ctx's error there is what was reached.
func (v *curve) extend(ctx context.Context, p *progress, at []*big.Rat) error {
	if v.over == "compositions" {
		return v.extendCounts(ctx, p, at)
	}
	var qs []ask.Quantity
	for _, eps := range at {
		qs = append(qs, ask.Delta(eps))
	}
	g := v.Goal
	g.Progress = func(e exact.Effort, open int) {
		p.describe(fmt.Sprintf("effort %d, %d of %d points are left", e, open, len(qs)))
	}
	answers, err := ask.For(ctx, v.question, g, qs...)
	for i, a := range answers {
		v.insert(at[i], a)
	}
	return err
}

// insert adds a point where it belongs.
func (v *curve) insert(at *big.Rat, a ask.Answer) {
	i, _ := slices.BinarySearchFunc(v.at, at, (*big.Rat).Cmp)
	v.at, v.values = slices.Insert(v.at, i, at), slices.Insert(v.values, i, a)
}

// end returns where the range ends that was not given: at about the least ε for
// leastDelta, or for a larger δ if that is infinite.
func (r curveRequest) end(ctx context.Context) (*big.Rat, error) {
	unit := func() *big.Rat { return new(big.Rat).Add(r.from, big.NewRat(1, 1)) }
	for _, delta := range []*big.Rat{leastDelta, number.PowerOfTen(-5), number.PowerOfTen(-2), big.NewRat(1, 2)} {
		question := r.Question
		question.Scale = delta
		g := r.Goal
		g.Digits = 1
		answers, err := ask.For(ctx, question, g, ask.Epsilon(delta))
		if err != nil {
			return unit(), err
		}
		switch x, _, ok := answers[0].Rationals(); {
		case !ok: // an end is infinite
		case x.Cmp(r.from) <= 0:
			return unit(), nil
		default:
			return roundUp(x), nil
		}
	}
	return unit(), nil
}

// scaleAt returns a number near δ(eps), or nil: what the masses of a grid should
// resolve, for the points of a curve up to eps. The number of bits is raised until
// the lower bound at the least effort is positive.
func scaleAt(ctx context.Context, q exact.Question, eps *big.Rat) (*big.Rat, error) {
	const most = 1 << 14 // bits
	for q.Scale = nil; ; {
		r, err := ask.Within(ctx, func(ctx context.Context) (exact.Result, error) { return exact.Delta(ctx, q, eps, 0) })
		if err != nil {
			return nil, err
		}
		b := -r.Lo().MantExp(nil)
		if r.Lo().Sign() <= 0 {
			b = -2 * r.Hi().MantExp(nil)
		}
		if r.Value != nil || r.Hi().Sign() == 0 || b < 16 || b > most {
			return q.Scale, nil
		}
		q.Scale = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(b)))
		if r.Lo().Sign() > 0 {
			return q.Scale, nil
		}
	}
}

// overCompositions encloses the least ε over the number of compositions.
func (r curveRequest) overCompositions(ctx context.Context, p *progress) (*curve, error) {
	ks := counts(r.compositions, r.points)
	if r.drawn {
		ks = geometric(r.compositions, min(r.points, firstDrawn))
	}
	v := &curve{curveRequest: r, over: "compositions", of: "epsilon"}
	var at []*big.Rat
	for _, k := range ks {
		at = append(at, new(big.Rat).SetInt64(k))
	}
	if err := v.extend(ctx, p, at); err != nil {
		if v.values == nil {
			return nil, err
		}
		return v, err
	}
	return v, nil
}

// extendCounts is extend over numbers of compositions: each is a question of its own.
func (v *curve) extendCounts(ctx context.Context, p *progress, at []*big.Rat) error {
	for i, k := range at {
		question := v.Question
		question.Event = mechanism.SelfComposed{Event: v.Event, Count: k.Num().Int64()}
		question.Scale = v.delta
		g := v.Goal
		g.Progress = func(e exact.Effort, _ int) {
			p.describe(fmt.Sprintf("%s compositions at effort %d, %d of %d points are left", k.Num(), e, len(at)-i, len(at)))
		}
		answers, err := ask.For(ctx, question, g, ask.Epsilon(v.delta))
		if answers != nil {
			v.insert(k, answers[0])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// decimal returns the bounds at a point. They are printed with a few more digits than
// was aimed at where they are known.
func (v *curve) decimal(i int) (lo, hi string) {
	return v.values[i].Decimal(max(v.Digits, 6))
}

// methods returns what bounds the points.
func (v *curve) methods() []string {
	return v.collect(func(a ask.Answer) []string { return a.Methods })
}

// notes returns the assumptions that the curve rests on.
func (v *curve) notes() []string {
	return v.collect(func(a ask.Answer) []string { return a.Notes })
}

// collect returns what some answers have, once each.
func (v *curve) collect(of func(ask.Answer) []string) []string {
	out := []string{}
	for _, a := range v.values {
		for _, s := range of(a) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// lacking says how many points are not as accurate as wanted, and why; it is empty
// if all are.
func (v *curve) lacking() string {
	n, reason := 0, ""
	for _, a := range v.values {
		if !a.Complete() {
			n++
			reason = a.Reason()
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d points are wider than the %d digits wanted: %s", n, len(v.values), v.Digits, reason)
}

// remark writes what a curve has to say besides its points.
func (v *curve) remark(w io.Writer) {
	if s := v.lacking(); s != "" {
		fmt.Fprintf(w, "verify: %s\n", s)
	}
	for _, n := range v.notes() {
		fmt.Fprintf(w, "verify: note: %s\n", n)
	}
}

func printCurveCSV(w io.Writer, v *curve) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s,%s_lo,%s_hi,complete\n", v.over, v.of, v.of)
	for i, a := range v.values {
		lo, hi := v.decimal(i)
		fmt.Fprintf(&b, "%s,%s,%s,%s\n", number.Format(v.at[i]), lo, hi, strconv.FormatBool(a.Complete()))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A curveReport is a curve in JSON.
type curveReport struct {
	Version   int                `json:"version"`
	Quantity  string             `json:"quantity"`
	Over      string             `json:"over"`
	Event     json.RawMessage    `json:"event"`
	Relation  string             `json:"relation"`
	Direction string             `json:"direction"`
	Delta     string             `json:"delta,omitempty"`
	Points    []curvePointReport `json:"points"`
	Methods   []string           `json:"methods"`
	Notes     []string           `json:"notes,omitempty"`
}

type curvePointReport struct {
	At       string       `json:"at"`
	Lo       string       `json:"lo"`
	Hi       string       `json:"hi"`
	Effort   exact.Effort `json:"effort"`
	Complete bool         `json:"complete"`
	Reason   string       `json:"reason,omitempty"`
}

func printCurveJSON(w io.Writer, v *curve) error {
	out := curveReport{
		Version: 1, Quantity: v.of, Over: v.over,
		Event: mechanism.EncodeEvent(v.Event), Relation: v.Relation.String(), Direction: v.Direction.String(),
		Methods: v.methods(), Notes: v.notes(),
	}
	if v.delta != nil {
		out.Delta = number.Format(v.delta)
	}
	for i, a := range v.values {
		lo, hi := v.decimal(i)
		out.Points = append(out.Points, curvePointReport{number.Format(v.at[i]), lo, hi, a.Effort, a.Complete(), a.Reason()})
	}
	return writeJSON(w, out)
}
