// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package browser tests the pages that the project makes in a headless Chromium: those of verify report, and the one
// that answers in a browser. It is a module of its own, as nothing else needs the protocol of a browser:
//
//	cd internal/browser && go test ./...
package browser

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// chrome is a headless Chromium for all tests of the package; each has a tab of its own.
var chrome struct {
	sync.Mutex
	ctx  context.Context // nil before it is wanted
	stop []context.CancelFunc
}

func TestMain(m *testing.M) {
	status := m.Run()
	for _, stop := range slices.Backward(chrome.stop) {
		stop()
	}
	os.Exit(status)
}

// browser opens a tab and collects what the browser complains about.
func browser(t *testing.T) (ctx context.Context, complaints func() []string) {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here: on Debian, apt-get install chromium")
	}
	chrome.Lock()
	if chrome.ctx == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		first, end := chromedp.NewContext(allocator)
		chrome.ctx, chrome.stop = first, []context.CancelFunc{stop, end}
		if err := chromedp.Run(first); err != nil { // starts it
			chrome.Unlock()
			t.Fatal(err)
		}
	}
	chrome.Unlock()
	ctx, stop := chromedp.NewContext(chrome.ctx)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(stop)
	var mu sync.Mutex
	var list []string
	chromedp.ListenTarget(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *log.EventEntryAdded:
			list = append(list, fmt.Sprintf("%s: %s", ev.Entry.Level, ev.Entry.Text))
		case *runtime.EventConsoleAPICalled:
			list = append(list, "console: "+ev.Type.String())
		case *runtime.EventExceptionThrown:
			list = append(list, ev.ExceptionDetails.Error())
		}
	})
	return ctx, func() []string { mu.Lock(); defer mu.Unlock(); return list }
}

// An opened page is one that the tests open.
type opened struct {
	name, title string
	html        []byte
}

// write puts a page into a file and returns its address.
func (p opened) write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), p.name+".html")
	if err := os.WriteFile(path, p.html, 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// schemes are the colours that a reader may prefer, and the paper that goes with them.
var schemes = []struct{ name, paper string }{{"light", "rgb(255, 255, 255)"}, {"dark", "rgb(13, 17, 23)"}}

// prefer sets the width of the window and the colours that the reader prefers.
func prefer(width int64, scheme string) chromedp.Tasks {
	return chromedp.Tasks{
		chromedp.EmulateViewport(width, 900),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
	}
}

// axe is axe-core, a checker of accessibility; docs/dependencies.md says where it is from.
//
//go:embed testdata/axe-core/axe.min.js
var axe string

// examine runs all rules of axe-core on the page that is open: the rules of WCAG 2.2, levels A and AA, and its best
// practices.
const examine = `axe.run({resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r => JSON.stringify({
	wrong: r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.map(n => n.html.slice(0, 200)).join("; ")),
	passed: r.passes.length,
}))`

// examined is what axe-core finds wrong, and how many rules found something to look at and nothing wrong.
type examined struct {
	Wrong  []string
	Passed int
}

// accessibility examines the page that is open.
func accessibility(t *testing.T, ctx context.Context) (e examined) {
	t.Helper()
	var loaded bool
	err := chromedp.Run(ctx, chromedp.Evaluate(axe+";typeof axe.run == 'function'", &loaded))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(await(t, ctx, examine)), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// await evaluates a promise that fulfils with a string.
func await(t *testing.T, ctx context.Context, script string) (out string) {
	t.Helper()
	promise := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
	if err := chromedp.Run(ctx, chromedp.Evaluate(script, &out, promise)); err != nil {
		t.Fatal(err)
	}
	return out
}

// visit opens a page in a window of a width and in a colour scheme, with scripts for the checker, which is one.
func visit(t *testing.T, ctx context.Context, address string, width int64, scheme string) {
	t.Helper()
	err := chromedp.Run(ctx, prefer(width, scheme), emulation.SetScriptExecutionDisabled(false), chromedp.Navigate(address), chromedp.WaitReady("body"))
	if err != nil {
		t.Fatal(err)
	}
}

// The checker is the one that docs/dependencies.md names.
func TestCheckerIsAsStated(t *testing.T) {
	docs, err := os.ReadFile("../../docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(axe))); !strings.Contains(string(docs), sum) {
		t.Errorf("docs/dependencies.md does not state SHA-256 %s", sum)
	}
	version, _, _ := strings.Cut(strings.TrimPrefix(axe, "/*! axe v"), "\n")
	if !strings.Contains(string(docs), "axe-core "+version+",") {
		t.Errorf("docs/dependencies.md does not state version %q", version)
	}
}

// The checker runs, and sees what a page must not have.
func TestInaccessiblePageIsFound(t *testing.T) {
	page := opened{name: "bad", html: []byte(`<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"></head>
<body><h1>a</h1><h4>b</h4><img src="data:,"><svg role="img" width="9" height="9"></svg><p style="color:#aaa;background:#fff">faint</p><a href="#x"></a></body></html>`)}
	ctx, _ := browser(t)
	visit(t, ctx, page.write(t), 1440, "light")
	e := accessibility(t, ctx)
	for _, rule := range []string{"html-has-lang", "document-title", "image-alt", "svg-img-alt", "color-contrast", "heading-order", "link-name", "region"} {
		if !strings.Contains("\n"+strings.Join(e.Wrong, "\n"), "\n"+rule+": ") {
			t.Errorf("rule %s finds nothing: %s", rule, fmt.Sprint(e.Wrong))
		}
	}
}
