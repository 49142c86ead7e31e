// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// The limits of what is read for one question. A process that exceeds them is
// ended: it floods.
const (
	maxAnswer = 1 << 20 // bytes of a line
	maxStray  = 1000    // lines that answer nothing
)

// A child is the accountant under test. It has one question at a time; its process
// is started when it is needed, and ended after anything that is not an answer or a
// refusal, so that late answers never meet a later question.
type child struct {
	o    Options
	proc *process // nil: not running
}

// start starts the accountant. The error says why it cannot be started at all.
func start(ctx context.Context, o Options) (*child, error) {
	if len(o.Command) == 0 {
		return nil, errors.New("audit: no command")
	}
	c := &child{o: o}
	var err error
	c.proc, err = spawn(o)
	return c, err
}

// close lets the process end and ends it.
func (c *child) close() {
	if c.proc != nil {
		c.proc.stdin.Close()
		select {
		case <-c.proc.done:
		case <-time.After(time.Second):
		}
		c.proc.kill()
		select { // its processor time is told then
		case <-c.proc.done:
		case <-time.After(2 * time.Second):
		}
		c.proc = nil
	}
}

// ask puts one question and waits for its answer.
func (c *child) ask(ctx context.Context, q Case) Reply {
	if c.proc == nil {
		p, err := spawn(c.o)
		if err != nil {
			return Reply{Kind: Crashed, Text: clip(err.Error())}
		}
		c.proc = p
	}
	limit := c.o.Timeout
	if c.proc.fresh {
		limit += c.o.Startup
	}
	r := c.proc.ask(ctx, q, limit)
	r.First, c.proc.fresh = c.proc.fresh, false
	if !r.Kind.Replied() {
		c.proc.kill()
		c.proc = nil
	}
	return r
}

// A process is one run of the accountant.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	stderr tail
	lines  chan answerLine
	stop   chan struct{} // closed by kill
	done   chan struct{} // closed when the process has ended
	once   sync.Once
	memory int64
	greedy atomic.Bool // it was ended for its memory
	fresh  bool        // it has not been asked anything
}

// An answerLine is one line of output.
type answerLine struct {
	text    []byte
	tooLong bool
}

// spawn starts a process.
func spawn(o Options) (*process, error) {
	out, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	p := &process{
		cmd:    exec.Command(o.Command[0], o.Command[1:]...),
		stdout: out,
		lines:  make(chan answerLine),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
		memory: o.Memory,
		fresh:  true,
	}
	p.cmd.Stdout = w
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // for what the process started and left behind
	ownGroup(p.cmd)
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		out.Close()
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		out.Close()
		return nil, fmt.Errorf("the accountant does not start: %w", err)
	}
	go p.read()
	go func() {
		_ = p.cmd.Wait()
		if s := p.cmd.ProcessState; s != nil && o.Spent != nil {
			o.Spent(s.UserTime() + s.SystemTime())
		}
		close(p.done)
	}()
	go func() {
		if exceeds(p.cmd, p.memory, p.stop, p.done) {
			p.greedy.Store(true)
			killGroup(p.cmd)
		}
	}()
	return p, nil
}

// kill ends the process and what it started.
func (p *process) kill() {
	p.once.Do(func() {
		close(p.stop)
		killGroup(p.cmd)
		p.stdin.Close()
		p.stdout.Close()
	})
}

// read passes lines on until the output ends or a line is too long.
func (p *process) read() {
	defer close(p.lines)
	in := bufio.NewScanner(p.stdout)
	in.Buffer(nil, maxAnswer)
	for in.Scan() || errors.Is(in.Err(), bufio.ErrTooLong) {
		l := answerLine{bytes.Clone(in.Bytes()), in.Err() != nil}
		select {
		case p.lines <- l:
		case <-p.stop:
			return
		}
		if l.tooLong {
			return
		}
	}
}

// ask writes one question and reads lines until one answers it.
func (p *process) ask(ctx context.Context, q Case, limit time.Duration) Reply {
	started := time.Now()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	go func() { _, _ = p.stdin.Write(append(q.Request(), '\n')) }() // may block: kill closes the pipe
	stray, last := 0, ""
	end := func(k Kind, text string) Reply {
		if last != "" {
			text += "; the last other line: " + last
		}
		return Reply{Kind: k, Text: clip(text), Stray: stray, Seconds: time.Since(started).Seconds()}
	}
	ended := p.done
	for {
		select {
		case l, ok := <-p.lines:
			switch {
			case !ok:
				return p.crash(end)
			case l.tooLong:
				return end(Flooded, fmt.Sprintf("a line of more than %d bytes", maxAnswer))
			}
			if r, ok := parseReply(l.text, q.ID); ok {
				r.Stray, r.Seconds = stray, time.Since(started).Seconds()
				return r
			}
			last = clip(string(l.text[:min(len(l.text), 300)]))
			if stray++; stray > maxStray {
				return end(Flooded, fmt.Sprintf("more than %d lines that do not answer the question", maxStray))
			}
		case <-ended:
			// What it wrote last may still be on its way; what it started may keep
			// its output open.
			ended = nil
			timer.Reset(500 * time.Millisecond)
		case <-timer.C:
			if ended == nil {
				return p.crash(end)
			}
			return end(TimedOut, fmt.Sprintf("no answer in %v", limit))
		case <-ctx.Done():
			return Reply{Kind: NotAsked, Text: "interrupted"}
		}
	}
}

// crash says how the process ended.
func (p *process) crash(end func(Kind, string) Reply) Reply {
	text := "it closed its output and went on running"
	select {
	case <-p.done:
		text = "it ended: " + p.cmd.ProcessState.String()
	case <-time.After(500 * time.Millisecond):
	}
	if p.greedy.Load() {
		return end(OutMemory, fmt.Sprintf("it used more than %d MiB", p.memory>>20))
	}
	if said := p.stderr.String(); said != "" {
		text += "; standard error: " + said
	}
	return end(Crashed, text)
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	const most = 200
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	t.text = bytes.Clone(t.text[max(0, len(t.text)-most):])
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return clip(string(t.text))
}
