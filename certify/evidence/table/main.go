// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Table prints what evidence costs: for each decided claim of some files, the size of its evidence, the CPU
// seconds (user and system) of deciding the claim and of checking the evidence, and on what it rests.
//
//	go run ./certify/evidence/table [-coq] [-runs N] [FILE…]
//
// Both programs are built first, and run for each claim by itself; of N runs the fastest counts. Without files, these
// are the published claims. It ends with status 1 if a certificate is rejected, or fewer than nine in ten of the claims
// have evidence of at most 200 kB that is accepted in less time than it took to decide them.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"dpverify/certify/evidence"
	"dpverify/internal/document"
)

const (
	maxSize = 200_000 // bytes of evidence
	least   = 0.9     // share of the claims
	maxFile = 1 << 24
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

// A bench is where programs and files are, and how often each program runs.
type bench struct {
	dir  string
	coq  bool
	runs int
}

// A row is what was found about a decided claim.
type row struct {
	id, verdict   string
	rests         string // on what, or "none"
	bytes         int
	decide, check time.Duration
	coq           time.Duration // 0: no file
	accepted      bool
	problem       string
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("table", flag.ExitOnError)
	b := bench{}
	flags.BoolVar(&b.coq, "coq", false, "have coqc check the files of --coq, too, which takes some seconds each")
	flags.IntVar(&b.runs, "runs", 3, "run each program `N` times")
	_ = flags.Parse(args) // it ends the program where it fails
	files := flags.Args()
	if len(files) == 0 {
		var err error
		if files, err = filepath.Glob("testdata/golden/published/*.yaml"); err != nil || len(files) == 0 {
			return errors.New("no published claims: it runs in the folder of the module")
		}
	}
	var err error
	if b.dir, err = os.MkdirTemp("", "table-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	for _, p := range []struct{ program, from, what string }{{"verify", ".", "./cmd/verify"},
		{"checker", "checker", "."}} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(b.dir, p.program), p.what)
		cmd.Dir = p.from
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	var rows []row
	fmt.Fprintf(stdout, "| claim | verdict | rests on | bytes | decide | check |%s\n|---|---|---|---|---|---|%s\n",
		only(b.coq, " Coq |"), only(b.coq, "---|"))
	for _, name := range files {
		data, err := document.FileContents(context.Background(), name, maxFile)
		if err != nil {
			return err
		}
		root, err := document.Parse(data)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, claim := range field(root, "claims").Items {
			r, err := b.row(claim)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if r == nil {
				continue
			}
			rows = append(rows, *r)
			fmt.Fprintln(stdout, r.line(b.coq))
		}
	}
	return summary(rows, stdout)
}

func only(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

// line is a row in Markdown.
func (r *row) line(coq bool) string {
	cells := []string{r.id, r.verdict, r.rests, "", fmt.Sprintf("%.3f", r.decide.Seconds()), ""}
	if r.bytes > 0 {
		cells[3], cells[5] = fmt.Sprint(r.bytes), fmt.Sprintf("%.3f", r.check.Seconds())
	}
	if coq {
		cells = append(cells, only(r.coq > 0, fmt.Sprintf("%.1f", r.coq.Seconds())))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// summary is how many rows are as they should be, and which are not.
func summary(rows []row, stdout io.Writer) error {
	var accepted, all int
	var wrong []string
	faults := make(map[string][]string)
	for _, r := range rows {
		switch {
		case r.problem != "":
			wrong = append(wrong, r.id+": "+r.problem)
		case r.accepted:
			accepted++
			slow, large := r.check >= r.decide, r.bytes > maxSize
			if slow {
				faults["slower"] = append(faults["slower"], r.id)
			}
			if large {
				faults["larger"] = append(faults["larger"], r.id)
			}
			if !slow && !large {
				all++
			}
		default:
			faults["none"] = append(faults["none"], r.id)
		}
	}
	fmt.Fprintf(stdout,
		"\n%d decided claims; %d with accepted evidence; %d of these of at most %d bytes and checked in less time than "+
			"deciding took.\n", len(rows), accepted, all, maxSize)
	for _, f := range []struct{ key, text string }{{"none", "No evidence"},
		{"slower", "Checked more slowly than decided"}, {"larger", "Too large"}} {
		if ids := faults[f.key]; ids != nil {
			fmt.Fprintf(stdout, "%s: %s.\n", f.text, strings.Join(ids, ", "))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "; "))
	}
	if float64(all) < least*float64(len(rows)) {
		return fmt.Errorf("%d of %d are not enough", all, len(rows))
	}
	return nil
}

// row decides a claim and has its evidence checked; nil if it is not decided.
func (b bench) row(claim *document.Node) (*row, error) {
	r := &row{id: field(claim, "id").Text, rests: "none"}
	file := filepath.Join(b.dir, "claim.json")
	if err := os.WriteFile(file, []byte(`{"version":1,"claims":[`+string(claim.JSON())+"]}\n"), 0o666); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.dir, "evidence-")
	if err != nil {
		return nil, err
	}
	out, decide := b.fastest("verify", "certify", "--format", "json", file)
	r.decide = decide
	var report struct{ Claims []struct{ Verdict string } }
	if err := json.Unmarshal(out, &report); err != nil || len(report.Claims) != 1 {
		return nil, fmt.Errorf("%s: not decided: %s", r.id, out)
	}
	if r.verdict = strings.ToLower(report.Claims[0].Verdict); r.verdict != "verified" && r.verdict != "refuted" {
		return nil, nil
	}
	if _, err := exec.Command(filepath.Join(b.dir, "verify"), "certify", "--certificate", dir, "--evidence",
		file).Output(); err != nil && r.verdict == "verified" {
		r.problem = err.Error()
	}
	if b.coq {
		if err := r.coqc(b.dir, file); err != nil {
			r.problem = err.Error()
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, evidence.FileName(r.id)))
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	} else if err != nil {
		return nil, err
	}
	r.bytes, r.rests = len(data), rests(string(data), string(claim.JSON()))
	out, r.check = b.fastest("checker", file, dir)
	if r.accepted = strings.HasPrefix(string(out), "ACCEPTED "); !r.accepted {
		r.problem = strings.TrimSpace(string(out))
	}
	return r, nil
}

// fastest runs a program, and returns its output and the least CPU time.
func (b bench) fastest(program string, args ...string) ([]byte, time.Duration) {
	var out []byte
	best := time.Duration(1<<63 - 1)
	for range b.runs {
		cmd := exec.Command(filepath.Join(b.dir, program), args...)
		out, _ = cmd.Output() // the output has the status, too
		if s := cmd.ProcessState; s != nil {
			best = min(best, s.UserTime()+s.SystemTime())
		}
	}
	return out, best
}

// coqc has the file for Coq checked, if the claim has one.
func (r *row) coqc(dir, file string) error {
	into, err := os.MkdirTemp(dir, "coq-")
	if err != nil {
		return err
	}
	exec.Command(filepath.Join(dir, "verify"), "certify", "--coq", into, file).Run() // 1 where it is refuted
	files, err := filepath.Glob(filepath.Join(into, "claim_*.v"))
	if err != nil || len(files) == 0 {
		return err
	}
	cmd := exec.Command("coqc", "-w", "none", filepath.Base(files[0]))
	cmd.Dir = into
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("coqc: %w\n%s", err, out)
	}
	r.coq = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return nil
}

// rests says what an accepted certificate rests on but the checker's reading of the claim and its arithmetic: theorems
// of docs/checker.md, and for classes that are dominated by noise, the lemma that says so.
func rests(certificate, claim string) string {
	s := "closed form"
	if strings.Contains(certificate, `"grid"`) {
		s = "theorems 1–3"
		if strings.Contains(certificate, `"REFUTED"`) {
			s = "theorem 4"
		}
	}
	for _, class := range []string{"PermuteAndFlip", "ExponentialMechanism"} {
		if strings.Contains(claim, class+"DpEvent") {
			s += ", domination by noise"
		}
	}
	return s
}

// field is a field of a mapping; nothing if it is not there.
func field(n *document.Node, key string) *document.Node {
	return cmp.Or(n.Get(key), new(document.Node))
}
