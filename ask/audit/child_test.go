// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dpverify/ask/audit/toy"
	"dpverify/internal/document"
	"dpverify/internal/testkit"
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

// TestProcesses: several processes that are asked at once are judged as one is, case by case and in the order of the
// cases.
func TestProcesses(t *testing.T) {
	cases := Random(3, 5)
	for _, name := range testkit.First(1, "wrong", "correct") {
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

// TestSpent: every process of the accountant tells its processor time, one that was killed as well.
func TestSpent(t *testing.T) {
	for name, least := range map[string]int64{"correct": 1, "crash-at-once": 2} {
		var processes, cpu atomic.Int64
		o := options(t, name, two(t))
		o.Spent = func(d time.Duration) {
			processes.Add(1)
			cpu.Add(int64(d))
		}
		mustRun(t, o)
		if processes.Load() < least || cpu.Load() <= 0 {
			t.Errorf("%s: %d processes took %d ns, want at least %d and more than 0", name, processes.Load(), cpu.Load(), least)
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
