// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// evidenceClaims are decided by every mutant; what is true of them is what the unmutated program finds.
const evidenceClaims = "checker/testdata/claims.yaml"

// A deception is what a mutant made of the claims.
type deception struct {
	Mutant
	broken   string   // why there are no verdicts
	wrong    []string // claims that it decides wrongly
	evidence int      // for how many of these it writes evidence
	accepted []string // those whose evidence the checker accepts
}

// deceive builds the program with each mutant and has it write evidence, which the separate checker must not accept for
// a verdict that is wrong. The error is about that, or ctx's.
func deceive(ctx context.Context, root string, ms []Mutant, budget time.Duration, stdout, progress io.Writer) error {
	began := time.Now()
	s, err := newWorkshop(root, progress)
	if err != nil {
		return err
	}
	defer os.RemoveAll(s.dir)
	checker := filepath.Join(s.dir, "checker")
	if out, err := s.command(ctx, filepath.Join(s.module, "checker"), "go", "build", "-trimpath", "-buildvcs=false",
		"-o", checker, "."); err != nil {
		return fmt.Errorf("checker: %w\n%s", err, out)
	}
	truth, why := s.verdicts(ctx, "unmutated", "")
	if why != "" {
		return fmt.Errorf("without a mistake: %s", why)
	}
	results := make([]deception, len(ms))
	tried, err := parallel(ctx, len(ms), began, budget, func(i int) error {
		d := deception{Mutant: ms[i]}
		if err := s.mutate(d.Mutant); err != nil {
			return err
		}
		found, why := s.verdicts(ctx, d.Name, s.overlay(d.Mutant))
		if d.broken = why; why == "" {
			// The checker's status is 1 where it rejects.
			out, _ := s.command(ctx, s.module, checker, evidenceClaims, s.evidence(d.Name))
			for line := range strings.Lines(out) {
				word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
				id, _, _ := strings.Cut(strings.TrimSuffix(rest, ":"), " ")
				id = strings.TrimSuffix(id, ":")
				if found[id] == truth[id] {
					continue
				}
				d.wrong = append(d.wrong, id)
				if word != "NONE" {
					d.evidence++
				}
				if word == "ACCEPTED" {
					d.accepted = append(d.accepted, id)
				}
			}
		}
		results[i] = d
		s.progress.Printf("%s: %d wrong, %d with evidence, %d accepted %s", d.Name, len(d.wrong), d.evidence,
			len(d.accepted), d.broken)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return reportDeceptions(stdout, results[:tried])
}

func (s *workshop) evidence(name string) string { return filepath.Join(s.scratch, name+"-evidence") }

// verdicts are the verdicts of the program with an overlay, by the claims' ids, or why there are none.
func (s *workshop) verdicts(ctx context.Context, name, overlay string) (map[string]string, string) {
	binary := filepath.Join(s.scratch, name+"-verify")
	defer os.Remove(binary)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-w", "-o", binary}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if out, err := s.command(ctx, s.module, "go", append(args, "./cmd/verify")...); err != nil {
		return nil, "does not compile: " + tail(out)
	}
	limited, cancel := context.WithTimeout(ctx, 5*timeLimit)
	defer cancel()
	file := filepath.Join(s.scratch, name+"-outcome.json")
	out, failed := s.command(limited, s.module, binary, "certify", "--certificate", s.evidence(name), "--evidence",
		"--format", "json", "-o", file, evidenceClaims)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Sprintf("decides nothing (%v): %s", failed, tail(out))
	}
	var report struct {
		Claims []struct{ ID, Verdict string }
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, err.Error()
	}
	found := make(map[string]string)
	for _, c := range report.Claims {
		found[c.ID] = c.Verdict
	}
	return found, ""
}

func reportDeceptions(w io.Writer, results []deception) error {
	changing, wrong, written, broken := 0, 0, 0, 0
	var bad []error
	for _, d := range results {
		if d.broken != "" {
			broken++
		}
		if len(d.wrong) > 0 {
			changing++
		}
		wrong += len(d.wrong)
		written += d.evidence
		for _, id := range d.accepted {
			bad = append(bad, fmt.Errorf("%s: the checker accepts a wrong verdict on %s", d.Name, id))
		}
	}
	fmt.Fprintf(w,
		"%d mutants, %d without verdicts; %d change %d verdicts, %d with evidence, of which %d are accepted\n",
		len(results), broken, changing, wrong, written, len(bad))
	return errors.Join(bad...)
}
