// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package browser

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// A Tab is a tab of a browser, with a profile of its own.
type Tab struct {
	browser  *Browser
	session  string
	deadline time.Time

	mu         sync.Mutex
	complaints []string
	loaded     map[string]bool // by the loader of a document
}

type object = map[string]any

// Tab opens a tab, whose calls fail after some time.
func (b *Browser) Tab(patience time.Duration) (*Tab, error) {
	t := &Tab{browser: b, deadline: time.Now().Add(patience), loaded: make(map[string]bool)}
	var made struct{ BrowserContextID, TargetID, SessionID string }
	for _, c := range []struct {
		method string
		params func() object
	}{
		{"Target.createBrowserContext", func() object { return object{"disposeOnDetach": true} }},
		{"Target.createTarget", func() object {
			return object{"url": "about:blank", "browserContextId": made.BrowserContextID}
		}},
		{"Target.attachToTarget", func() object { return object{"targetId": made.TargetID, "flatten": true} }},
	} {
		if err := b.call("", c.method, c.params(), &made, t.deadline); err != nil {
			return nil, err
		}
	}
	t.session = made.SessionID
	b.mu.Lock()
	b.events[t.session] = t.event
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		if err := t.call(domain+".enable", nil, nil); err != nil {
			return nil, err
		}
	}
	return t, t.call("Page.setLifecycleEventsEnabled", object{"enabled": true}, nil)
}

func (t *Tab) call(method string, params, result any) error {
	return t.browser.call(t.session, method, params, result, t.deadline)
}

// event notes that a document is loaded, and what the browser complains about.
func (t *Tab) event(method string, params json.RawMessage) {
	var p struct {
		LoaderID, Name   string                            // Page.lifecycleEvent
		Entry            struct{ Level, Text, URL string } // Log.entryAdded
		Type             string                            // Runtime.consoleAPICalled
		ExceptionDetails json.RawMessage                   // Runtime.exceptionThrown
	}
	if err := json.Unmarshal(params, &p); err != nil {
		panic(fmt.Sprintf("browser: internal error: %v: %s", err, params))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch method {
	case "Page.lifecycleEvent":
		if p.Name == "load" {
			t.loaded[p.LoaderID] = true
		}
	case "Log.entryAdded":
		t.complaints = append(t.complaints, fmt.Sprintf("%s: %s %s", p.Entry.Level, p.Entry.Text, p.Entry.URL))
	case "Runtime.consoleAPICalled":
		t.complaints = append(t.complaints, "console: "+p.Type)
	case "Runtime.exceptionThrown":
		t.complaints = append(t.complaints, "exception: "+string(p.ExceptionDetails))
	}
}

// Complaints returns what the browser has complained about: errors and warnings, exceptions, and
// whatever scripts write to the console.
func (t *Tab) Complaints() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.complaints
}

// pause is the time between two looks at a page.
const pause = 5 * time.Millisecond

// until looks until something is so.
func (t *Tab) until(what string, look func() (bool, error)) error {
	for time.Now().Before(t.deadline) {
		if ok, err := look(); ok || err != nil {
			return err
		}
		time.Sleep(pause)
	}
	return fmt.Errorf("browser: %s: not in time", what)
}

// Navigate opens an address and returns when the document and all that it needs is loaded.
func (t *Tab) Navigate(address string) error {
	var started struct{ LoaderID, ErrorText string }
	if err := t.call("Page.navigate", object{"url": address}, &started); err != nil {
		return err
	}
	if started.ErrorText != "" {
		return fmt.Errorf("browser: %s: %s", address, started.ErrorText)
	}
	if started.LoaderID == "" { // another place of the same document
		return nil
	}
	return t.until(address+" is loaded", func() (bool, error) {
		t.mu.Lock()
		defer t.mu.Unlock()
		return t.loaded[started.LoaderID], nil
	})
}

// Evaluate evaluates an expression, awaits it if it is a promise, and decodes its value, unless
// result is nil.
func (t *Tab) Evaluate(script string, result any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	if err := t.call("Runtime.evaluate", object{"expression": script, "awaitPromise": true, "returnByValue": true}, &answer); err != nil {
		return err
	}
	if answer.ExceptionDetails != nil {
		return fmt.Errorf("browser: evaluate: %s", answer.ExceptionDetails)
	}
	if result == nil {
		return nil
	}
	if answer.Result.Value == nil {
		return fmt.Errorf("browser: evaluate: no value of %.200s", script)
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// Text waits until an element is visible, and returns its text as a reader sees it.
func (t *Tab) Text(selector string) (text string, err error) {
	quoted, err := json.Marshal(selector)
	if err != nil {
		return "", err
	}
	err = t.until(selector+" is visible", func() (bool, error) {
		var seen *string
		err := t.Evaluate(`(() => { const e = document.querySelector(`+string(quoted)+`); return e && e.checkVisibility() ? e.innerText : null; })()`, &seen)
		if err != nil || seen == nil {
			return false, err
		}
		text = *seen
		return true, nil
	})
	return text, err
}

// Click moves the mouse onto the middle of an element, which an expression gives, and presses its button.
func (t *Tab) Click(element string) error {
	var at struct{ X, Y float64 }
	err := t.Evaluate(`(() => { const e = `+element+`; e.scrollIntoView({block: "center", behavior: "instant"}); const r = e.getBoundingClientRect(); return {X: r.x + r.width/2, Y: r.y + r.height/2}; })()`, &at)
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		if err == nil {
			err = t.call("Input.dispatchMouseEvent", object{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}, nil)
		}
	}
	return err
}

// Type presses and releases the key of each character; "\t" and "\r" are those of tabulator and return.
func (t *Tab) Type(text string) error {
	for _, r := range text {
		key := object{"key": string(r), "text": string(r)}
		switch r {
		case '\t':
			key = object{"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
		case '\r':
			key = object{"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
		}
		key["type"] = "keyDown"
		if err := t.call("Input.dispatchKeyEvent", key, nil); err != nil {
			return err
		}
		key["type"] = "keyUp"
		delete(key, "text")
		if err := t.call("Input.dispatchKeyEvent", key, nil); err != nil {
			return err
		}
	}
	return nil
}

// A Reader is who looks at pages.
type Reader struct {
	Width  int    // of the window
	Phone  bool   // whether pages are laid out as on a phone
	Scheme string // the colours preferred: light or dark
}

// Show shows pages as this reader has them.
func (t *Tab) Show(r Reader) error {
	if err := t.call("Emulation.setDeviceMetricsOverride", object{"width": r.Width, "height": 900, "deviceScaleFactor": 1, "mobile": r.Phone}, nil); err != nil {
		return err
	}
	return t.call("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": r.Scheme}}}, nil)
}

// Scripts allows or forbids the scripts of pages. Evaluate works in either case.
func (t *Tab) Scripts(allowed bool) error {
	return t.call("Emulation.setScriptExecutionDisabled", object{"value": !allowed}, nil)
}

// Screenshot returns the whole page as a PNG.
func (t *Tab) Screenshot() (png []byte, err error) {
	var shot struct{ Data []byte }
	err = t.call("Page.captureScreenshot", object{"format": "png", "captureBeyondViewport": true}, &shot)
	return shot.Data, err
}
