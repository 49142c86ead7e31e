// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// An answer is an enclosure as it was printed, and the seconds of CPU that it took.
type answer struct {
	name     string
	seconds  float64
	lo, hi   string
	complete bool
}

// An asker runs a program, and interrupts it at a limit: then it answers with what it has reached.
type asker struct {
	program string
	limit   time.Duration
}

// ask returns the answer to a question.
func (a asker) ask(ctx context.Context, q question) (answer, error) {
	// The wall only guards against a program that does not end; on a busy machine CPU seconds are much longer.
	ctx, stop := context.WithTimeout(ctx, max(100*a.limit, time.Minute))
	defer stop()
	run := exec.CommandContext(ctx, a.program, append(q.args(), "--format", "json", "--timeout", "30m")...)
	var out, complaint bytes.Buffer
	run.Stdout, run.Stderr = &out, &complaint
	if err := run.Start(); err != nil {
		return answer{}, err
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	var err error
	interrupted := false // a second signal would end it without an answer
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
		case <-tick.C:
			if !interrupted && cpuOf(run.Process.Pid) > a.limit {
				interrupted = true
				_ = run.Process.Signal(os.Interrupt) // it may have ended
			}
		}
	}
	var status *exec.ExitError
	if err != nil && !errors.As(err, &status) {
		return answer{}, err
	}
	var said struct {
		Answers []struct {
			Lo, Hi   string
			Complete bool
		}
	}
	if err := json.Unmarshal(out.Bytes(), &said); err != nil || len(said.Answers) != 1 {
		return answer{}, fmt.Errorf("%s: %q is not one answer\n%s", q.name, out.String(), complaint.String())
	}
	used := run.ProcessState.UserTime() + run.ProcessState.SystemTime()
	x := said.Answers[0]
	return answer{q.name, used.Seconds(), x.Lo, x.Hi, x.Complete}, nil
}

// cpuOf returns the time of the CPU that a process has used, where there is /proc; elsewhere 0, and nothing is
// interrupted.
func cpuOf(pid int) time.Duration {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name may hold spaces
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	const ticks = 100 // a second, on every Linux
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * time.Second / ticks
}

// A question is a command line without the program, with a name.
type question struct{ name, line string }

// written has the questions: a name, a tab and a command line. Most were drawn from wide ranges of parameters,
// and the others are cliffs that were found.
//
//go:embed questions.txt
var written string

// questions are those of the file, in their order.
func questions() (out []question) {
	for line := range strings.Lines(written) {
		name, line, _ := strings.Cut(strings.TrimSpace(line), "\t")
		out = append(out, question{name, line})
	}
	return out
}

// args are the arguments: words, and what stands between single quotes.
func (q question) args() (out []string) {
	for i, part := range strings.Split(q.line, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
