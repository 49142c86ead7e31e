// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dpverify/audit/toy"
	"dpverify/document"
	"dpverify/exact/interval"
	"dpverify/internal/testkit"
	"dpverify/mechanism"
	"dpverify/number"
)

// asAccountant, before the name of a behaviour, is the argument with which the test binary runs as
// an accountant.
const asAccountant = "accountant="

func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		if name, ok := strings.CutPrefix(os.Args[1], asAccountant); ok {
			behave(name)
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// behave is the accountant of that name.
func behave(name string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	id := func() string {
		if !lines.Scan() {
			os.Exit(0)
		}
		n, err := document.ParseJSON(lines.Bytes())
		if err != nil {
			panic(err)
		}
		return string(n.Get("id").JSON())
	}
	answer := func(id, rest string) { fmt.Printf(`{"id":%s,%s}`+"\n", id, rest) }
	switch name {
	case "correct":
		_ = toy.Serve(os.Stdin, os.Stdout, toy.None)
	case "wrong":
		_ = toy.Serve(os.Stdin, os.Stdout, toy.ForgetsCount)
	case "hang":
		id()
		time.Sleep(time.Hour)
	case "deaf":
		time.Sleep(time.Hour)
	case "hang-with-child":
		c := exec.Command("sleep", "3600")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		_ = c.Start()
		id()
		os.Exit(0) // what it started holds its output
	case "crash":
		id()
		fmt.Fprintln(os.Stderr, "out of luck")
		os.Exit(7)
	case "crash-at-once":
		os.Exit(1)
	case "close":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "garbage":
		for {
			i := id()
			fmt.Println("Warning: \x1b[31mdeprecated")
			fmt.Println("{]")
			fmt.Println(`[1, 2]`)
			fmt.Println(`{"upper": 1}`)
			answer(i, `"upper": Infinity`)
		}
	case "flood":
		id()
		for {
			fmt.Println("spam")
		}
	case "flood-stderr":
		for {
			i := id()
			fmt.Fprint(os.Stderr, strings.Repeat("spam\n", 1<<20))
			answer(i, `"upper":"inf"`)
		}
	case "endless":
		id()
		for {
			fmt.Print(strings.Repeat("x", 1<<16))
		}
	case "out-of-order":
		first := id()
		second := id()
		answer(second, `"upper":1`)
		answer(first, `"upper":1`)
	case "late":
		// Answers every question with the answer to the one before it.
		last := `"none"`
		for {
			i := id()
			answer(last, `"upper":0`)
			last = i
		}
	case "wrong-ids":
		for {
			id()
			answer(`"someone else"`, `"upper":1`)
		}
	case "repeats":
		for {
			i := id()
			answer(i, `"upper":"inf"`)
			answer(i, `"upper":0`)
		}
	case "greedy":
		id()
		var keep [][]byte
		for {
			b := make([]byte, 16<<20)
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			keep = append(keep, b)
			runtime.KeepAlive(keep)
			time.Sleep(10 * time.Millisecond)
		}
	case "nan":
		for {
			answer(id(), `"upper": NaN`)
		}
	case "words":
		for {
			answer(id(), `"upper": "about one"`)
		}
	case "mistake":
		for {
			answer(id(), `"adapter_error": "KeyError: 'sigma'"`)
		}
	case "duplicate-key":
		for {
			answer(id(), `"upper": 1, "upper": 2`)
		}
	case "nothing":
		for {
			answer(id(), `"note": "well"`)
		}
	case "zero":
		for {
			answer(id(), `"upper": 0`)
		}
	case "estimate":
		for {
			answer(id(), `"value": 0.0001`)
		}
	case "lower":
		for {
			answer(id(), `"lower": 1e3, "upper": "inf"`)
		}
	default:
		panic("no accountant " + name)
	}
}

// options are the options of a test, with the test binary as the accountant.
func options(t *testing.T, name string, cases []Case) Options {
	t.Helper()
	return Options{
		Command: []string{os.Args[0], asAccountant + name}, Cases: cases,
		Timeout: 2 * time.Second, Startup: 5 * time.Second, Patience: 3, Effort: 2, Budget: 20 * time.Second,
		ShrinkQuestions: 200, ShrinkTime: 20 * time.Second,
	}
}

func mustRun(t *testing.T, o Options) []Result {
	t.Helper()
	rs, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(rs) != len(o.Cases) {
		t.Fatalf("%d results of %d cases", len(rs), len(o.Cases))
	}
	return rs
}

// two are questions with simple answers.
func two(t *testing.T) []Case {
	t.Helper()
	cases, err := ReadCases("two", []byte(`
{"id":"a","event":{"class_name":"GaussianDpEvent","noise_multiplier":"1"},"quantity":"epsilon","at":"1e-5"}
{"id":"b","event":{"class_name":"LaplaceDpEvent","noise_multiplier":"1"},"quantity":"delta","at":"0.5"}
`))
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// Whatever the accountant does, the audit ends, and says what happened.
func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		want []Kind
	}{
		{"hang", []Kind{TimedOut, TimedOut}},
		{"deaf", []Kind{TimedOut, TimedOut}},
		{"hang-with-child", []Kind{Crashed, Crashed}},
		{"crash", []Kind{Crashed, Crashed}},
		{"crash-at-once", []Kind{Crashed, Crashed}},
		{"close", []Kind{Crashed, Crashed}},
		{"garbage", []Kind{Answered, Answered}},
		{"flood", []Kind{Flooded, Flooded}},
		{"flood-stderr", []Kind{Answered, Answered}},
		{"endless", []Kind{Flooded, Flooded}},
		{"out-of-order", []Kind{TimedOut, TimedOut}},
		{"late", []Kind{TimedOut, TimedOut}},
		{"wrong-ids", []Kind{TimedOut, TimedOut}},
		{"repeats", []Kind{Answered, Answered}},
		{"nan", []Kind{Invalid, Invalid}},
		{"words", []Kind{Invalid, Invalid}},
		{"nothing", []Kind{Invalid, Invalid}},
		{"duplicate-key", []Kind{Invalid, Invalid}},
		{"mistake", []Kind{Mistaken, Mistaken}},
		{"greedy", []Kind{OutMemory, OutMemory}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.name == "greedy" && runtime.GOOS != "linux" {
				t.Skip("memory is bounded on Linux only")
			}
			t.Parallel()
			o := options(t, test.name, two(t))
			o.Timeout, o.Startup, o.Memory = 200*time.Millisecond, 300*time.Millisecond, 256<<20
			if test.name != "hang" && test.want[0] != TimedOut {
				o.Timeout, o.Startup = 30*time.Second, 0
			}
			for i, r := range mustRun(t, o) {
				if r.Reply.Kind != test.want[i] {
					t.Errorf("%s: %s (%s), want %s", r.ID, r.Reply.Kind, r.Reply.Text, test.want[i])
				}
				if strings.ContainsAny(r.Reply.Text, "\x1b\n") {
					t.Errorf("a control character in %q", r.Reply.Text)
				}
				if r.Verdict == Unsound {
					t.Errorf("%s: unsound with %+v", r.ID, r.Reply)
				}
			}
		})
	}
}

func TestStandardErrorIsQuoted(t *testing.T) {
	o := options(t, "crash", two(t)[:1])
	if text := mustRun(t, o)[0].Reply.Text; !strings.Contains(text, "exit status 7") || !strings.Contains(text, "out of luck") {
		t.Errorf("%q", text)
	}
}

// An accountant that fails again and again is not asked for ever.
func TestPatience(t *testing.T) {
	cases := Random(1, 10)
	o := options(t, "crash-at-once", cases)
	got := map[Kind]int{}
	for _, r := range mustRun(t, o) {
		got[r.Reply.Kind]++
	}
	if got[Crashed] != 3 || got[NotAsked] != 7 {
		t.Errorf("%v, want 3 crashes and 7 not asked", got)
	}
}

// TestProcesses: several processes that are asked at once are judged as one is, case by case and in the order of the cases.
func TestProcesses(t *testing.T) {
	cases := Random(3, 5)
	for _, name := range []string{"correct", "wrong"} {
		o := options(t, name, cases)
		o.ShrinkQuestions = 3
		one := mustRun(t, o)
		o.Processes = 3
		for i, r := range mustRun(t, o) {
			if r.ID != one[i].ID || r.Verdict != one[i].Verdict || r.Reply.Kind != one[i].Reply.Kind || (r.Shrunk == nil) != (one[i].Shrunk == nil) {
				t.Errorf("%s: %s is %s (%s), by one process %s is %s (%s)", name, r.ID, r.Verdict, r.Reply.Kind, one[i].ID, one[i].Verdict, one[i].Reply.Kind)
			}
		}
	}
}

func TestCommandThatDoesNotStart(t *testing.T) {
	for _, command := range [][]string{nil, {"/nonexistent/accountant"}} {
		if _, err := Run(t.Context(), Options{Command: command, Cases: two(t)}); err == nil {
			t.Errorf("%v starts", command)
		}
	}
}

func TestInterrupt(t *testing.T) {
	o := options(t, "hang", two(t))
	o.Timeout = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := Run(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the context's error", err)
	}
}

// The correct toy is never unsound, on the published cases and on random ones.
func TestCorrectAccountant(t *testing.T) {
	t.Parallel()
	n := 30
	if testing.Short() {
		n = 5
	}
	o := options(t, "correct", append(cheap(Suite()), cheap(Random(7, n))...))
	rs := mustRun(t, o)
	s := Summarize(rs)
	for original, small := range Findings(rs) {
		t.Errorf("%s: %s answered with %s", original.ID, small.Request(), small.Reply.Upper)
	}
	if s.Sound < n/3 || s.Undecided > 0 {
		t.Errorf("%d sound, %d undecided of %d", s.Sound, s.Undecided, s.Asked)
	}
	if s.MedianSlack == nil || s.WorstSlack == nil || s.MedianSlack.Positive() != interval.True {
		t.Errorf("no slack: the conversion of the toy is loose")
	}
}

// cheap drops the cases that take long to judge, all of which the toys refuse.
func cheap(cases []Case) []Case {
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		return regexp.MustCompile("Sampled|MixtureOfGaussians").Match(c.Request())
	})
}

// The wrong toy is found out, and its bug shrinks to two releases of Laplace noise.
func TestWrongAccountant(t *testing.T) {
	t.Parallel()
	o := options(t, "wrong", cheap(Suite()))
	rs := mustRun(t, o)
	var found []string
	for _, small := range Findings(rs) {
		found = append(found, string(small.Request()))
		self, ok := small.Event.(mechanism.SelfComposed)
		if !ok {
			t.Errorf("shrunk to %s, want a composition with itself", small.Request())
			continue
		}
		if _, ok := self.Event.(mechanism.Laplace); !ok || self.Count > 3 {
			t.Errorf("shrunk to %s, want a few releases of Laplace noise", small.Request())
		}
		if u := small.Judged.Understatement; u == nil || u.Positive() != interval.True {
			t.Errorf("%s: no understatement", small.Request())
		}
	}
	if len(found) == 0 {
		t.Error("nothing was found")
	}
	if len(found) > 3 {
		t.Errorf("%d findings of one bug: %s", len(found), strings.Join(found, "\n"))
	}
}

func TestJudgement(t *testing.T) {
	for _, test := range []struct {
		name string
		est  bool
		want []Verdict
	}{
		{"zero", false, []Verdict{Unsound, Unsound}},
		{"repeats", false, []Verdict{Sound, Sound}},
		{"lower", false, []Verdict{Unsound, Unsound}},
		{"estimate", false, []Verdict{Unsound, Unsound}},
		{"estimate", true, []Verdict{Unjudged, Unjudged}},
	} {
		o := options(t, test.name, two(t))
		o.Estimates, o.ShrinkQuestions = test.est, 3
		for i, r := range mustRun(t, o) {
			if r.Verdict != test.want[i] {
				t.Errorf("%s, estimates %v, %s: %s, want %s", test.name, test.est, r.ID, r.Verdict, test.want[i])
			}
		}
	}
}

// An upper bound one unit above and below the truth in the twelfth digit.
func TestJudgementIsSharp(t *testing.T) {
	c := two(t)[0] // ε of one Gaussian at 1e-5: 4.3771779…
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	r := Reply{Kind: Answered, Upper: &Number{Rat: big.NewRat(100, 1)}}
	_, judged, err := j.judge(t.Context(), c, r)
	if err != nil {
		t.Fatal(err)
	}
	lo, hi := judged.Truth.Decimal(12)
	for text, want := range map[string]Verdict{lo: Unsound, hi: Sound} {
		x, err := number.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		r.Upper = &Number{Text: text, Rat: x}
		v, _, err := j.judge(t.Context(), c, r)
		if err != nil || v != want {
			t.Errorf("upper = %s: %s, %v, want %s", text, v, err, want)
		}
	}
}

// binary64 questions are judged at the numbers that the accountant had: 0.1 is a
// little more than 1/10 there, and an ε of 1/10 for the pure guarantee is too small.
func TestBinary64(t *testing.T) {
	c := Case{ID: "x", Event: mechanism.EpsilonDelta{Epsilon: big.NewRat(1, 10), Delta: new(big.Rat)}, Quantity: Epsilon, At: new(big.Rat)}
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	r := Reply{Kind: Answered, Upper: &Number{Text: "0.1", Rat: big.NewRat(1, 10)}}
	for binary64, want := range map[bool]Verdict{false: Sound, true: Unsound} {
		c.Binary64 = binary64
		if v, _, err := j.judge(t.Context(), c, r); err != nil || v != want {
			t.Errorf("binary64 = %v: %s, %v, want %s", binary64, v, err, want)
		}
	}
}

// Probabilities in binary64 may miss the sum 1 by rounding: an answer is judged for all
// distributions that they stand for.
func TestBinary64Probabilities(t *testing.T) {
	tenths := func(ns ...int64) (xs []*big.Rat) {
		for _, n := range ns {
			xs = append(xs, big.NewRat(n, 10))
		}
		return xs
	}
	c := Case{ID: "x", Event: mechanism.FinitePair{P: tenths(7, 2, 1), Q: tenths(1, 2, 7)}, Quantity: Delta, At: new(big.Rat), Binary64: true}
	j := judge{Options{Effort: 3, Budget: time.Minute}}
	for text, want := range map[string]Verdict{"0.5999999999999998": Unsound, "0.6": Open, "0.6000000000000001": Sound} {
		x, err := number.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, out, err := j.judge(t.Context(), c, Reply{Kind: Answered, Upper: &Number{Text: text, Rat: x}})
		if err != nil || v != want || v != Open && (out.Truth.Lo().Cmp(big.NewFloat(0.6)) > 0 || out.Truth.Hi().Cmp(big.NewFloat(0.6)) < 0) {
			t.Errorf("upper = %s: %s (%s), %v, want %s", text, v, out.Reason, err, want)
		}
	}
}

func TestParseReply(t *testing.T) {
	for _, test := range []struct {
		line string
		ok   bool
		kind Kind
		up   string
	}{
		{`{"id":"a","upper":1.5}`, true, Answered, "1.5"},
		{`{"id":"a","upper":"1.5"}`, true, Answered, "1.5"},
		{`{"id": "a", "upper": Infinity}`, true, Answered, "inf"},
		{`{"id":"a","upper":-Infinity, "value":3}`, true, Answered, "-inf"},
		{`{"id":"a","upper":inf}`, true, Answered, "inf"},
		{`{"id":"a","upper":"Inf"}`, true, Answered, "inf"},
		{`{"id":"a","upper":NaN}`, true, Invalid, ""},
		{`{"id":"a","upper":"nan"}`, true, Invalid, ""},
		{`{"id":"a","upper":[1]}`, true, Invalid, ""},
		{`{"id":"a","upper":null}`, true, Invalid, ""},
		{`{"id":"a","error":"NaN: \"inf\" is not, nan"}`, true, Refused, ""},
		{`{"id":"a","error":null,"upper":2}`, true, Answered, "2"},
		{`{"id":"b","upper":2}`, false, "", ""},
		{`{"upper":2}`, false, "", ""},
		{`{"id":["a"],"upper":2}`, false, "", ""},
		{``, false, "", ""},
		{`{"id":"a","upper":2`, true, Invalid, ""},
		{`{"id":"a","upper":2,"upper":3}`, true, Invalid, ""},
		{`{"id": "a", "id": "a", "upper":2}`, true, Invalid, ""},
		{` {"upper":.5, "id" : "a"}`, true, Invalid, ""},
		{`{"id":"b","upper":2,"upper":3}`, false, "", ""},
		{`{"id":"ab","upper":2,"upper":3}`, false, "", ""},
		{`asked {"id":"a","upper":2`, false, "", ""},
		{`{"id":"a","error":"","upper":2}`, true, Answered, "2"},
		{`{"id":"a","error":false,"upper":2}`, true, Answered, "2"},
		{`{"id":"a","error":""}`, true, Invalid, ""},
		{`{"id":"a","error":"no","upper":2}`, true, Invalid, ""},
		{`{"id":"a","error":"no","upper":NaN}`, true, Refused, ""},
		{`{"id":"a","error":["no"]}`, true, Refused, ""},
		{`{"id":"a","adapter_error":"KeyError","upper":2}`, true, Mistaken, ""},
		{`Infinity`, false, "", ""},
	} {
		r, ok := parseReply([]byte(test.line), "a")
		if ok != test.ok || r.Kind != test.kind || r.Upper.String() != test.up {
			t.Errorf("%s: %+v, %v", test.line, r, ok)
		}
	}
}

func FuzzParseReply(f *testing.F) {
	f.Add([]byte(`{"id":"a","upper":NaN,"lower":"-inf","value":1e-5}`))
	f.Add([]byte(`{"id":"a","error":"x\\\"inf"}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		r, ok := parseReply(line, "a")
		if ok && r.Kind == Answered && r.Lower == nil && r.Upper == nil && r.Value == nil {
			t.Errorf("%q is an answer without a number", line)
		}
	})
}

// The suite has an enclosure for every case, so every answer can be judged.
func TestSuiteIsAnswerable(t *testing.T) {
	testkit.SkipShort(t)
	for _, c := range cheap(Suite()) {
		r := Reply{Kind: Answered, Upper: &Number{Text: "inf", Inf: 1}, Lower: &Number{Text: "0", Rat: new(big.Rat)}}
		v, judged, err := judge{Options{Effort: 0, Budget: time.Minute}}.judge(t.Context(), c, r)
		if err != nil || v != Sound || judged.Truth == nil {
			t.Errorf("%s: %s, %v, %s", c.ID, v, err, judged.Reason)
		}
	}
}

// Random cases depend on the seed and the index only, and are valid.
func TestRandomCases(t *testing.T) {
	long, short := Random(3, 200), Random(3, 20)
	for i, c := range short {
		if string(c.Request()) != string(long[i].Request()) {
			t.Errorf("case %d depends on how many there are", i)
		}
	}
	seen := map[string]bool{}
	for _, c := range long {
		if err := mechanism.Validate(c.Event); err != nil {
			t.Error(err)
		}
		if seen[c.key()] {
			continue
		}
		seen[c.key()] = true
	}
	if len(seen) < 190 {
		t.Errorf("%d different cases of 200", len(seen))
	}
	if string(Random(4, 1)[0].key()) == string(long[0].key()) {
		t.Error("another seed gives the same case")
	}
}

// Every simpler case that shrinking tries costs less or is passed over, so shrinking
// ends; and it reaches the simplest case there is.
func TestShrinkingEnds(t *testing.T) {
	for _, c := range Random(5, 40) {
		steps := 0
		for {
			var next *Case
			for s := range simpler(c) {
				if cost(s) < cost(c) {
					next = &s
					break
				}
			}
			if next == nil {
				break
			}
			c = *next
			if steps++; steps > 1000 {
				t.Fatalf("no end: %s", c.Request())
			}
		}
		if _, ok := c.Event.(mechanism.Composed); ok {
			t.Errorf("ends at %s", c.Request())
		}
	}
}

func TestReadCasesRefuses(t *testing.T) {
	const event = `"event":{"class_name":"NoOpDpEvent"}`
	for _, text := range []string{
		"",
		"# only a comment",
		`[]`,
		`{"id":"a"}`,
		`{"id":"a",` + event + `}`,
		`{"id":"a",` + event + `,"quantity":"tv"}`,
		`{"id":"a",` + event + `,"quantity":"delta"}`,
		`{"id":"a",` + event + `,"quantity":"epsilon","at":1}`,
		`{"id":"a",` + event + `,"quantity":"epsilon","at":"-1"}`,
		`{"id":"a",` + event + `,"quantity":"renyi","at":"0"}`,
		`{"id":"a",` + event + `,"quantity":"tradeoff","at":"1.1"}`,
		`{"id":"a","quantity":"delta","at":1}`,
		`{` + event + `,"quantity":"delta","at":1}`,
		`{"id":"a",` + event + `,"quantity":"delta","at":1,"color":"red"}`,
		`{"id":"a",` + event + `,"quantity":"delta","at":1}` + "\n" + `{"id":"a",` + event + `,"quantity":"delta","at":1}`,
	} {
		if c, err := ReadCases("x.jsonl", []byte(text)); err == nil {
			t.Errorf("%s is read as %v", text, c)
		} else if !strings.HasPrefix(err.Error(), "x.jsonl:") {
			t.Errorf("%v does not name the file", err)
		}
	}
}

func TestToyRefusesGarbage(t *testing.T) {
	var out strings.Builder
	if err := toy.Serve(strings.NewReader("{]\n{\"id\":1}\n"), &out, toy.None); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	if strings.Count(out.String(), `"error"`) != 2 {
		t.Errorf("%s", out.String())
	}
}
