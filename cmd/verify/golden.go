package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/certify"
	"dpverify/document"
	"dpverify/mechanism"
)

// goldenDigits is how many digits of a value are compared by default.
const goldenDigits = 100

func newGolden() *cobra.Command {
	var g golden
	c := &cobra.Command{
		Use:   "golden DIR",
		Short: "Run a directory of golden cases against this program or another build",
		Long: `Run golden cases against this program, or against the build that --binary names:

  oracle/**/*.jsonl   values from outside: questions of "verify query" with a value
  published/*.yaml    claims whose verdict is known
  snapshot/NAME.json  the output of "verify certify --format json" for published/NAME.yaml

An answer must meet the value from outside, a verdict must be the expected one or
UNDECIDED, and a snapshot must be the output, byte for byte. --update rewrites
snapshots, and nothing else ever.

A value is compared to all of its digits, up to --digits. How many were compared to fewer
is said, because they have more or because the time ended, and so is how many lines, such
as headers, ask nothing.

The exit status is 1 if a case fails, 2 if the cases cannot be run or there are
none, and 0 otherwise.`,
		Example: `  verify golden testdata/golden
  verify golden --binary ./verify-1.0 testdata/golden`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%d directories, want one DIR", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if g.timeout <= 0 {
				return fmt.Errorf("--timeout = %v, want more than 0", g.timeout)
			}
			if g.digits < 1 || g.digits > ask.MaxDigits {
				return fmt.Errorf("--digits = %d, want an integer in [1, %d]", g.digits, ask.MaxDigits)
			}
			return g.run(c, args[0])
		},
	}
	fs := c.Flags()
	fs.StringVar(&g.binary, "binary", "", "the build to run (default: this program)")
	fs.BoolVar(&g.update, "update", false, "rewrite snapshots that differ")
	fs.IntVar(&g.digits, "digits", goldenDigits, "most digits of a value that are compared")
	fs.DurationVar(&g.timeout, "timeout", 30*time.Second, "time for one question")
	fs.DurationVar(&g.budget, "budget", defaultBudget, "time for one claim")
	return c
}

// golden is one run of the command golden.
type golden struct {
	binary          string
	update          bool
	digits          int
	timeout, budget time.Duration

	ctx              context.Context
	cases, undecided int
	silent           int // lines that ask nothing
	coarse           int // values that were compared to fewer digits than they have
	failures         []string
	updated          []string
}

func (g *golden) run(c *cobra.Command, dir string) error {
	g.ctx = c.Context()
	if g.binary == "" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		g.binary = self
	}
	binary, err := filepath.Abs(g.binary)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath(binary); err != nil {
		return fmt.Errorf("--binary: %w, want a program", err)
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a directory, want one of golden cases", certify.Printable(dir))
	}
	g.binary = binary
	if err := g.oracle(filepath.Join(dir, "oracle")); err != nil {
		return err
	}
	if err := g.published(dir); err != nil {
		return err
	}
	if g.cases == 0 {
		return fmt.Errorf("%s: no golden cases, want oracle/**/*.jsonl or published/*.yaml", certify.Printable(dir))
	}
	return g.report(c)
}

func (g *golden) report(c *cobra.Command) error {
	var b strings.Builder
	for _, f := range g.failures {
		fmt.Fprintf(&b, "FAIL  %s\n", f)
	}
	for _, u := range g.updated {
		fmt.Fprintf(&b, "updated %s\n", u)
	}
	fmt.Fprintf(&b, "%d cases: %d failed, %d undecided\n", g.cases, len(g.failures), g.undecided)
	if g.coarse > 0 {
		fmt.Fprintf(&b, "%d compared to fewer digits than the value has\n", g.coarse)
	}
	if g.silent > 0 {
		fmt.Fprintf(&b, "%d left out: lines without a quantity\n", g.silent)
	}
	if _, err := c.OutOrStdout().Write([]byte(b.String())); err != nil {
		return err
	}
	if len(g.failures) > 0 {
		return statusError(statusWrong)
	}
	return nil
}

func (g *golden) fail(format string, args ...any) {
	g.failures = append(g.failures, fmt.Sprintf(format, args...))
}

// An oracleCase is a value from outside: |printed| ≤ |true| < |printed| + one unit of
// its last digit, or equality where exact says so.
type oracleCase struct {
	ID        string          `json:"id"`
	Event     json.RawMessage `json:"event"`
	Relation  string          `json:"relation,omitempty"`
	Direction string          `json:"direction,omitempty"`
	Quantity  string          `json:"quantity"`
	At        string          `json:"at,omitempty"`
	Value     string          `json:"value"`
	Exact     bool            `json:"exact"`
}

// digits is how many significant digits an answer needs to be compared with all of the value:
// one more than it has, and two more where it is exact, as all that follow are 0.
func (c oracleCase) digits() int {
	mantissa, _, _ := strings.Cut(c.Value, "e")
	n := len(strings.TrimLeft(strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, mantissa), "0"))
	switch {
	case strings.Contains(c.Value, "/"), c.Value == "inf", c.Value == "-inf":
		return ask.DefaultDigits
	case c.Exact:
		n++
	}
	return max(n+1, ask.DefaultDigits)
}

// oracle asks the questions of all files below a directory, which may be missing.
func (g *golden) oracle(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return g.oracleFile(path, data)
	})
}

func (g *golden) oracleFile(path string, data []byte) error {
	var cases []oracleCase
	var questions bytes.Buffer
	number := 0
	for line := range bytes.Lines(data) {
		number++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var c oracleCase
		if err := json.Unmarshal(line, &c); err != nil {
			return fmt.Errorf("%s:%d: %w", certify.Printable(path), number, err)
		}
		switch {
		case c.Quantity == "" && c.Value == "":
			g.silent++
			continue
		case c.Quantity == "":
			return fmt.Errorf("%s:%d: value without quantity, want a question of verify query", certify.Printable(path), number)
		}
		if _, _, err := valueRange(c); err != nil {
			return fmt.Errorf("%s:%d: value = %q: %w", certify.Printable(path), number, c.Value, err)
		}
		q := map[string]any{"id": len(cases), "event": c.Event, "quantity": c.Quantity, "digits": min(c.digits(), g.digits), "timeout": g.timeout.Seconds()}
		for k, v := range map[string]string{"relation": c.Relation, "direction": c.Direction, "at": c.At} {
			if v != "" {
				q[k] = v
			}
		}
		text, err := json.Marshal(q)
		if err != nil {
			return err
		}
		questions.Write(append(text, '\n'))
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		return fmt.Errorf("%s: no cases", certify.Printable(path))
	}
	out, err := g.output(".", &questions, "query")
	if err != nil {
		return err
	}
	answers := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(answers) != len(cases) {
		return fmt.Errorf("%s: %d answers to %d questions", g.binary, len(answers), len(cases))
	}
	for i, c := range cases {
		g.cases++
		complete, why := disagreement(c, answers[i])
		switch {
		case why != "":
			g.fail("%s: %s: %s", certify.Printable(path), certify.Printable(c.ID), why)
		case !complete || c.digits() > g.digits:
			g.coarse++
		}
	}
	return nil
}

// disagreement says how an answer contradicts a value, or nothing, and whether it has as many
// digits as were asked.
func disagreement(c oracleCase, answer []byte) (complete bool, why string) {
	n, err := document.ParseJSON(answer)
	if err != nil {
		return false, "the answer is no JSON: " + err.Error()
	}
	if e := n.Get("error"); e != nil {
		return false, certify.Printable(shorten(e.Text))
	}
	if n.Get("lo") == nil || n.Get("hi") == nil {
		return false, "the answer has no enclosure"
	}
	lo, hi := n.Get("lo").Text, n.Get("hi").Text
	from, to, _ := valueRange(c)
	if !atMost(lo, to) || !atMost(from, hi) {
		return false, fmt.Sprintf("%s(%s) is in [%s, %s], and the value from outside is %s", c.Quantity, c.At, lo, hi, c.Value)
	}
	return n.Get("complete") != nil && n.Get("complete").Text == "true", ""
}

// valueRange returns the ends of the range that a value stands for.
func valueRange(c oracleCase) (lo, hi string, err error) {
	if c.Value == "inf" || c.Value == "-inf" {
		return c.Value, c.Value, nil
	}
	v, err := mechanism.ParseNumber(c.Value)
	if err != nil {
		return "", "", err
	}
	text := mechanism.FormatNumber(v)
	if c.Exact {
		return text, text, nil
	}
	if strings.Contains(c.Value, "/") {
		return "", "", errors.New("a fraction has no last digit, want a decimal, or exact: true")
	}
	// One unit of the last digit, away from 0.
	m, e, _ := strings.Cut(c.Value, "e")
	unit := strings.Map(func(r rune) rune {
		if r >= '1' && r <= '9' {
			return '0'
		}
		return r
	}, m[:len(m)-1]) + "1"
	if e != "" {
		unit += "e" + e
	}
	u, err := mechanism.ParseNumber(unit)
	if err != nil {
		return "", "", err
	}
	end := mechanism.FormatNumber(u.Add(u, v))
	if v.Cmp(u) > 0 {
		return end, text, nil
	}
	return text, end, nil
}

// published decides the claims of a directory and compares snapshots.
func (g *golden) published(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "published", "*.yaml"))
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, file := range files {
		out, err := g.output(filepath.Dir(file), nil, "certify", "--format", "json", "--budget", g.budget.String(), filepath.Base(file))
		if err != nil {
			return err
		}
		var r certify.Report
		if err := json.Unmarshal(out, &r); err != nil {
			return fmt.Errorf("%s: the output for %s: %w", g.binary, certify.Printable(file), err)
		}
		if len(r.Claims) == 0 {
			return fmt.Errorf("%s: no claims of %s were decided", g.binary, certify.Printable(file))
		}
		for _, c := range r.Claims {
			g.cases++
			switch {
			case c.Verdict == certify.Undecided && !c.AsExpected:
				g.undecided++
			case !c.AsExpected:
				want := certify.Verified
				if c.Expect != nil {
					want = *c.Expect
				}
				g.fail("%s: %s is %s, and known to be %s", certify.Printable(file), certify.Printable(c.ID), c.Verdict, want)
			}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml") + ".json"
		if err := g.snapshot(filepath.Join(dir, "snapshot", name), out); err != nil {
			return err
		}
	}
	return nil
}

// snapshot compares an output with the one kept, and keeps it if asked to.
func (g *golden) snapshot(path string, got []byte) error {
	want, err := os.ReadFile(path)
	switch {
	case err == nil && bytes.Equal(want, got):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case g.update:
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		g.updated = append(g.updated, certify.Printable(path))
		return writeFile(path, got)
	case err != nil:
		g.fail("%s: no snapshot; --update writes it", certify.Printable(path))
	default:
		g.fail("%s: the output is not the snapshot, first at line %d; --update rewrites it", certify.Printable(path), firstDifference(want, got))
	}
	return nil
}

func firstDifference(a, b []byte) int {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(x), len(y)) {
		if !bytes.Equal(x[i], y[i]) {
			return i + 1
		}
	}
	return min(len(x), len(y)) + 1
}

// output runs the build. Its status says what is in the output and is not looked at,
// but that it could not be run.
func (g *golden) output(dir string, stdin *bytes.Buffer, args ...string) ([]byte, error) {
	c := exec.CommandContext(g.ctx, g.binary, args...)
	c.Dir = dir
	if stdin != nil {
		c.Stdin = stdin
	}
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var exit *exec.ExitError
	switch {
	case g.ctx.Err() != nil:
		return nil, errInterrupted
	case err != nil && !errors.As(err, &exit):
		return nil, err
	case len(out) == 0:
		return nil, fmt.Errorf("%s %s: %v, no output; standard error: %s", g.binary, args[0], err, certify.Printable(shorten(stderr.String())))
	}
	return out, nil
}

// atMost reports x ≤ y for decimals, which may be infinite.
func atMost(x, y string) bool {
	if x == "-inf" || y == "inf" || x == y {
		return true
	}
	a, err1 := mechanism.ParseNumber(x)
	b, err2 := mechanism.ParseNumber(y)
	return err1 == nil && err2 == nil && a.Cmp(b) <= 0
}
