// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// help returns the completions of all shells and the manual pages, written by the command of the
// platform that this runs on.
func (r *release) help() ([]file, error) {
	data, err := r.program(host())
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "dpverify-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	verify := filepath.Join(dir, host().exe("verify"))
	if err := os.WriteFile(verify, data, 0o755); err != nil {
		return nil, err
	}
	say := func(args ...string) (string, error) { return run(exec.Command(verify, args...)) }
	var files []file
	for shell, name := range map[string]string{"bash": "verify.bash", "zsh": "_verify", "fish": "verify.fish",
		"powershell": "verify.ps1"} {
		text, err := say("completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "completions/" + name, data: []byte(text + "\n")})
	}
	offered, err := say("__complete", "help", "")
	if err != nil {
		return nil, err
	}
	pages := []string{""}
	for line := range strings.Lines(offered) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); name != "" && !strings.HasPrefix(name, ":") {
			pages = append(pages, name)
		}
	}
	if len(pages) < 20 {
		return nil, fmt.Errorf("verify help completes %d names, want at least 20", len(pages)-1)
	}
	for _, name := range pages {
		text, err := say(strings.Fields("help " + name)...)
		if err != nil {
			return nil, err
		}
		title := strings.TrimSuffix("verify-"+name, "-")
		files = append(files, file{name: "man/man1/" + title + ".1", data: []byte(manual(title, r.version, text))})
	}
	return sorted(files), nil
}

// manual returns a text as a manual page: its lines stay what they are.
func manual(title, version, text string) string {
	var b strings.Builder
	first, _, _ := strings.Cut(text, "\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"dpverify %s\"\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n",
		strings.ToUpper(title), version, title, roff(first))
	for line := range strings.Lines(text) {
		b.WriteString(roff(strings.TrimSuffix(line, "\n")) + "\n")
	}
	return b.String() + ".fi\n"
}

// roff quotes a line for roff.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
