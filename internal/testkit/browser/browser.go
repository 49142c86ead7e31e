// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package browser opens pages in a headless Chromium, for tests.
//
// It speaks the DevTools protocol over a pipe: messages in JSON, each followed by a zero byte. A library for
// that protocol has some 40,000 lines, which take longer to compile than the tests take to run; the
// tests need a dozen of its methods.
package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// A Browser is a running Chromium.
type Browser struct {
	cmd      *exec.Cmd
	dir      string         // its profile
	out      io.WriteCloser // what it reads
	in       io.ReadCloser  // what it writes
	finished chan struct{}  // closed when it writes no more

	writing sync.Mutex // one message after another
	mu      sync.Mutex
	last    int // number of a call
	waiting map[int]chan<- message
	events  map[string]handler // by session
}

// A handler takes the events of a session.
type handler func(method string, params json.RawMessage)

// A message is a call, an answer to a call, or an event.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Path returns the path of Chromium, or "" if there is none that tests can drive.
func Path() string {
	if runtime.GOOS == "windows" { // where a process inherits no pipes but the standard ones
		return ""
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}

// Start starts the Chromium of this path. The caller closes it.
func Start(path string) (*Browser, error) {
	dir, err := os.MkdirTemp("", "dpverify-chromium-")
	if err != nil {
		return nil, err
	}
	itsIn, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	in, itsOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	b := &Browser{dir: dir, out: out, in: in, finished: make(chan struct{}), waiting: make(map[int]chan<- message), events: make(map[string]handler)}
	b.cmd = exec.Command(path, "--headless", "--remote-debugging-pipe", "--user-data-dir="+dir, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--no-first-run", "--no-default-browser-check", "--hide-scrollbars", "--mute-audio", "--disable-background-networking", "--disable-component-update",
		"--disable-default-apps", "--disable-extensions", "--disable-sync", "--metrics-recording-only", "--password-store=basic", "--use-mock-keychain", "about:blank")
	b.cmd.ExtraFiles = []*os.File{itsIn, itsOut} // 3 and 4
	err = b.cmd.Start()
	err = errors.Join(err, itsIn.Close(), itsOut.Close())
	if err != nil {
		return nil, err
	}
	go b.read()
	return b, nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() {
	late := time.AfterFunc(10*time.Second, func() { _ = b.cmd.Process.Kill() })
	defer late.Stop()
	_ = b.call("", "Browser.close", nil, nil, time.Now().Add(10*time.Second))
	_ = b.out.Close()
	_ = b.cmd.Wait()
	<-b.finished
	_ = os.RemoveAll(b.dir)
}

// read hands out answers and events until the browser ends.
func (b *Browser) read() {
	defer close(b.finished)
	defer b.in.Close()
	for r := bufio.NewReader(b.in); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var params json.RawMessage
		m := message{Params: &params}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			panic(fmt.Sprintf("browser: internal error: %v: %s", err, text))
		}
		b.mu.Lock()
		answer, event := b.waiting[m.ID], b.events[m.Session]
		delete(b.waiting, m.ID)
		b.mu.Unlock()
		switch {
		case answer != nil:
			answer <- m
		case event != nil:
			event(m.Method, params)
		}
	}
}

// call calls a method and decodes its result, unless that is nil.
func (b *Browser) call(session, method string, params, result any, deadline time.Time) error {
	answer := make(chan message, 1)
	b.mu.Lock()
	b.last++
	id := b.last
	b.waiting[id] = answer
	b.mu.Unlock()
	text, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: params})
	if err == nil {
		b.writing.Lock()
		_, err = b.out.Write(append(text, 0))
		b.writing.Unlock()
	}
	if err != nil {
		return fmt.Errorf("browser: %s: %w", method, err)
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case m := <-answer:
		if m.Error != nil {
			return fmt.Errorf("browser: %s: %s", method, m.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-b.finished:
		return fmt.Errorf("browser: %s: the browser has ended", method)
	case <-late.C:
		return fmt.Errorf("browser: %s: no answer in time", method)
	}
}
