// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"dpverify/ask/curve"
	"dpverify/certify"
	"dpverify/internal/testkit"
)

// hardEvent takes far longer than a test may at the highest effort: a long
// composition of sampled Gaussians.
const hardEvent = `{"class_name":"SelfComposedDpEvent","count":%d,"event":{"class_name":"PoissonSampledDpEvent","sampling_probability":"0.01","event":{"class_name":"GaussianDpEvent","noise_multiplier":"0.9"}}}`

// patience bounds how long an interrupted command may take to end.
const patience = 30 * time.Second

// A child is a running verify.
type child struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
}

// feed writes the standard input. It writes more than a pipe holds, so that when
// it returns the child reads, and is ready for an interrupt.
func (c *child) feed(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(c.stdin, text+strings.Repeat("\n", 1<<20)); err != nil {
		t.Fatalf("%v; %s", err, c.stderr.String())
	}
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
}

func start(t *testing.T, args ...string) *child {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts can be sent on Windows")
	}
	c := &child{Cmd: exec.Command("verify", args...)}
	c.Stderr = &c.stderr
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdin = in
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// interrupt sends SIGINT and returns the rest of the output and the exit status.
func (c *child) interrupt(t *testing.T) (rest string, status int) {
	t.Helper()
	return c.signal(t, os.Interrupt)
}

func (c *child) signal(t *testing.T, s os.Signal) (rest string, status int) {
	t.Helper()
	if err := c.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	var b strings.Builder
	if _, err := c.stdout.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return b.String(), c.ProcessState.ExitCode()
}

// hardClaims is a file of one easy claim and several hard ones.
func hardClaims() string {
	var b strings.Builder
	b.WriteString("version: 1\nclaims:\n- {id: easy, event: {class_name: NoOpDpEvent}, claim: {epsilon: 0, delta: 0}}\n")
	for i := range 20 {
		fmt.Fprintf(&b, "- {id: hard-%d, event: %s, claim: {epsilon: 1, delta: 0.5}}\n", i, fmt.Sprintf(hardEvent, 1_000_000+i))
	}
	return b.String()
}

func TestInterruptedCertifyPrintsWhatWasDecided(t *testing.T) {
	c := start(t, "certify", "--effort", "8", "-")
	c.feed(t, hardClaims())
	for {
		line, err := c.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("the output ended: %v; %s", err, c.stderr.String())
		}
		if strings.HasPrefix(line, "VERIFIED   easy") {
			break
		}
	}
	rest, status := c.interrupt(t)
	if status != 130 {
		t.Errorf("exit status %d, want 130", status)
	}
	if !strings.Contains(rest, "\n1 claim: 1 verified\n") || strings.Contains(rest, "hard") {
		t.Errorf("after the interrupt: %s", rest)
	}
	if got, want := c.stderr.String(), "verify: interrupted: 20 of 21 claims were not decided\n"; got != want {
		t.Errorf("standard error: %q, want %q", got, want)
	}
}

// The JSON output is whole all the same.
func TestInterruptedCertifyPrintsWholeJSON(t *testing.T) {
	c := start(t, "certify", "--effort", "8", "--format", "json", "-")
	c.feed(t, hardClaims())
	rest, status := c.interrupt(t)
	var r certify.Report
	if err := json.Unmarshal([]byte(rest), &r); err != nil {
		t.Fatalf("%v: %s; %s", err, rest, c.stderr.String())
	}
	if status != 130 || len(r.Claims) != 21 {
		t.Errorf("exit status %d with %d claims", status, len(r.Claims))
	}
	for _, c := range r.Claims[1:] {
		if c.Verdict != certify.Undecided || c.Reason != "interrupted" {
			t.Errorf("%s: %s, %q", c.ID, c.Verdict, c.Reason)
		}
	}
}

func TestInterruptedQueryAnswersWhatItHas(t *testing.T) {
	c := start(t, "query")
	ask := func(id, event, digits string) {
		t.Helper()
		if _, err := fmt.Fprintf(c.stdin, `{"id":%q,"event":%s,"quantity":"delta","at":1,"digits":%s,"timeout":3600}`+"\n", id, event, digits); err != nil {
			t.Fatal(err)
		}
	}
	// Every answer is flushed: the client may wait for it before it asks again.
	ask("easy", `{"class_name":"NoOpDpEvent"}`, "12")
	line, err := c.stdout.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `{"id":"easy","quantity":"delta","at":1,"lo":"0","hi":"0"`) {
		t.Fatalf("%q, %v; %s", line, err, c.stderr.String())
	}
	ask("hard", fmt.Sprintf(hardEvent, 1_000_000), "4000")
	// The question is surely read once a blank line has filled the pipe after it.
	if _, err := io.WriteString(c.stdin, strings.Repeat(" ", 1<<20)); err != nil {
		t.Fatal(err)
	}
	rest, status := c.interrupt(t)
	if status != 130 || c.stderr.String() != "verify: interrupted\n" {
		t.Errorf("exit status %d, %q", status, c.stderr.String())
	}
	if !strings.HasPrefix(rest, `{"id":"hard"`) || !strings.Contains(rest, `"complete":false`) || !strings.Contains(rest, `"reason":"interrupted"`) {
		t.Errorf("after the interrupt: %s", rest)
	}
}

func TestInterruptedDeltaAnswersWhatItHas(t *testing.T) {
	c := start(t, "delta", "--epsilon", "1", "--digits", "4000", "--timeout", "1h", "-")
	c.feed(t, fmt.Sprintf(hardEvent, 1_000_000))
	rest, status := c.interrupt(t)
	if status != 130 || c.stderr.String() != "verify: interrupted\n" {
		t.Errorf("exit status %d, %q", status, c.stderr.String())
	}
	if !strings.HasPrefix(rest, "δ(1) ∈ [") || !strings.Contains(rest, "wider than the 4000 digits wanted: interrupted") {
		t.Errorf("after the interrupt: %s", rest)
	}
}

// A point that an interruption has not come to says nothing, and is left out.
func TestInterruptedCurvePrintsWhatItHas(t *testing.T) {
	c := start(t, "curve", "--from", "1", "--to", "3", "--points", "3", "--digits", "4000", "--timeout", "1h", "-")
	c.feed(t, fmt.Sprintf(hardEvent, 1_000_000))
	rest, status := c.interrupt(t)
	lines := strings.Split(strings.TrimSpace(rest), "\n")
	missing := 3
	if rest != "" {
		missing = 4 - len(lines)
	}
	said := "verify: interrupted\n"
	if missing > 0 {
		said = fmt.Sprintf("verify: interrupted: %d of 3 points have no bounds, and are left out\n", missing)
	}
	// Before there is a range of ε there is nothing at all.
	if got := c.stderr.String(); status != 130 || !strings.HasSuffix(got, said) && got != "verify: interrupted\n" {
		t.Errorf("exit status %d, %q, %q", status, got, rest)
	}
	if rest != "" && (len(lines) < 2 || lines[0] != "epsilon,delta_lo,delta_hi,complete") || strings.Contains(rest, ",0,1,false") {
		t.Errorf("after the interrupt: %s", rest)
	}
}

// Of the numbers of compositions, those that were reached are there, whole also in JSON.
func TestInterruptedCurveOverCompositions(t *testing.T) {
	c := start(t, "curve", "--compositions", "50", "--delta", "1e-5", "--points", "3", "--digits", "4000", "--timeout", "1h", "--format", "json", "-")
	c.feed(t, fmt.Sprintf(hardEvent, 1_000_000))
	time.Sleep(300 * time.Millisecond)
	rest, status := c.interrupt(t)
	var r curve.Report
	if rest != "" {
		if err := json.Unmarshal([]byte(rest), &r); err != nil {
			t.Fatalf("%v: %s", err, rest)
		}
	}
	want := fmt.Sprintf("verify: interrupted: %d of 3 points have no bounds, and are left out\n", 3-len(r.Points))
	if status != 130 || c.stderr.String() != want {
		t.Errorf("exit status %d, %q, want %q", status, c.stderr.String(), want)
	}
	for _, p := range r.Points {
		if p.Hi == "inf" || p.Reason != "interrupted" {
			t.Errorf("%+v", p)
		}
	}
}

func TestInterruptedPlotLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	c := start(t, "plot", "--output", dir+"/p.svg", "--from", "1", "--to", "3", "--digits", "4000", "--timeout", "1h", "-")
	c.feed(t, fmt.Sprintf(hardEvent, 1_000_000))
	rest, status := c.interrupt(t)
	if status != 130 || c.stderr.String() != "verify: interrupted\n" || rest != "" {
		t.Errorf("exit status %d, %q, %q", status, c.stderr.String(), rest)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("files %v, %v", files, err)
	}
}

// What is written to a file is whole or not there, and an earlier file stays.
func TestInterruptedRunLeavesFilesAlone(t *testing.T) {
	for _, args := range [][]string{
		{"certify", "--effort", "8", "--format", "json", "-o", "out", "-"},
		{"report", "--budget", "1h", "-o", "out", "-"},
	} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out")
		if err := os.WriteFile(out, []byte("earlier"), 0o666); err != nil {
			t.Fatal(err)
		}
		args[slices.Index(args, "out")] = out
		c := start(t, args...)
		c.feed(t, hardClaims())
		if _, status := c.interrupt(t); status != 130 {
			t.Errorf("%s: exit status %d, want 130; %s", args[0], status, c.stderr.String())
		}
		if data, err := os.ReadFile(out); err != nil || string(data) != "earlier" {
			t.Errorf("%s: the file has %q, %v", args[0], data, err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
			t.Errorf("%s: files %v, %v", args[0], files, err)
		}
	}
}

func TestInterruptedSelftestOfAnEvent(t *testing.T) {
	c := start(t, "selftest", "--epsilon", "1", "-")
	c.feed(t, fmt.Sprintf(hardEvent, int64(1_000_000_000_000)))
	if _, status := c.interrupt(t); status != 130 || c.stderr.String() != "verify: interrupted\n" {
		t.Errorf("exit status %d, %q", status, c.stderr.String())
	}
}

// The exit status has the number of the signal.
func TestTerminated(t *testing.T) {
	c := start(t, "delta", "--epsilon", "1", "--digits", "4000", "--timeout", "1h", "-")
	c.feed(t, fmt.Sprintf(hardEvent, 1_000_000))
	if _, status := c.signal(t, syscall.SIGTERM); status != 143 {
		t.Errorf("exit status %d, want 143; %s", status, c.stderr.String())
	}
}

// TestInterruptLearn: an interrupted search writes the best so far, certified.
func TestInterruptLearn(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "noise.yaml")
	var c *child
	var out string
	var status int
	for _, pause := range []time.Duration{time.Second / 2, 4 * time.Second, 16 * time.Second} { // a busy machine has nothing yet after one
		c = start(t, "learn", "--epsilon", "0.3", "--utility-at", "6", "--compositions", "8", "--range", "20", "--cell", "1/10", "--output", file)
		time.Sleep(pause) // of some seconds
		if out, status = c.interrupt(t); out != "" {
			break
		}
	}
	if status != 130 || !strings.Contains(out, "interrupted: the best so far") || !strings.Contains(out, "written to "+file) {
		t.Fatalf("status %d, %s%s", status, out, c.stderr.String())
	}
	answer, err := exec.Command("verify", "delta", "--epsilon", "0.3", "--digits", "4", file).Output()
	if err != nil || !strings.Contains(string(answer), "δ(0.3)") {
		t.Errorf("%s, %v", answer, err)
	}
}

// pipe makes a named pipe.
func pipe(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", name).CombinedOutput(); err != nil {
		t.Skipf("no named pipes: %v %s", err, out)
	}
	return name
}

// TestInterruptedReading: a file that never ends does not keep a command from ending at the first signal.
func TestInterruptedReading(t *testing.T) {
	t.Parallel()
	for _, args := range testkit.Few(4, [][]string{
		{"delta", "--epsilon", "1", "PIPE"}, {"certify", "PIPE"}, {"certify", "--baseline", "PIPE", "none.yaml"}, {"merge", "PIPE"},
		{"merge", "--claims", "PIPE", "none.json"}, {"check", "PIPE"}, {"ledger", "--delta", "1e-5", "PIPE"}, {"import", "opendp", "PIPE"},
		{"sample", "PIPE"}, {"audit", "--suite", "PIPE", "none"},
	}) {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			name := pipe(t)
			args[slices.Index(args, "PIPE")] = name
			c := start(t, args...)
			w, err := os.OpenFile(name, os.O_WRONLY, 0) // once it is open for reading
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if out, status := c.signal(t, syscall.SIGTERM); status != 143 || out != "" || c.stderr.String() != "verify: interrupted\n" {
				t.Errorf("status %d, %q, %q", status, out, c.stderr.String())
			}
		})
	}
}

// TestTimeOfReading: the time of an answer is that of reading its event, too, where even the opening of a file does not
// end; and what an event names has to be a regular file.
func TestTimeOfReading(t *testing.T) {
	t.Parallel()
	name := pipe(t)
	waits := make(map[*child]string)
	for _, args := range [][]string{
		{"delta", "--epsilon", "1", "--timeout", "0.1s", name},
		{"convert", "--to", "delta", "--at", "1", "--timeout", "0.1s", name + ".csv"},
		{"buckets", "--epsilon", "1", "--timeout", "0.1s", name},
		{"dominates", "--timeout", "0.1s", "gaussian(1)", name},
	} {
		if strings.HasSuffix(args[len(args)-1], ".csv") {
			if err := os.Symlink(name, name+".csv"); err != nil {
				t.Fatal(err)
			}
		}
		waits[start(t, args...)] = strings.Join(args, " ")
	}
	for c, command := range waits { // all at once
		late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
		_ = c.Wait()
		late.Stop()
		if c.ProcessState.ExitCode() != 2 || !strings.HasSuffix(c.stderr.String(), ": reading it did not end in time\n") {
			t.Errorf("%s: status %d, %q", command, c.ProcessState.ExitCode(), c.stderr.String())
		}
	}
	c := start(t, "query")
	text := fmt.Sprintf(`{"event":{"class_name":"HistogramPairEvent","p":%q,"q":%[1]q},"quantity":"delta","at":1}`, name)
	c.feed(t, text+"\n"+`{"id":2,"event":{"class_name":"NoOpDpEvent"},"quantity":"tv"}`+"\n")
	late := time.AfterFunc(patience, func() { _ = c.Process.Kill() })
	defer late.Stop()
	for _, want := range []string{"a pipe or a device, want a regular file", `"id":2,"quantity":"tv","lo":"0"`} {
		if line, err := c.stdout.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Errorf("%q, %v, want %s", line, err, want)
		}
	}
}
