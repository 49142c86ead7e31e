package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"dpverify/certify"
	"dpverify/mechanism"
	"dpverify/report"
)

// certifyFormats are the values of --format.
const certifyFormats = "text, json, junit, sarif or github"

// A certifyOutput says how outcomes are shown and kept.
type certifyOutput struct {
	format       string
	output       string // path; empty for standard output
	baseline     string // path; empty for none
	certificates string // directory; empty for none

	known map[claimKey][]certify.ClaimReport // failures of the baseline
}

// A claimKey identifies a claim across runs.
type claimKey struct{ file, id string }

func (o *certifyOutput) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&o.format, "format", "text", certifyFormats)
	fs.StringVarP(&o.output, "output", "o", "", "write to this file instead of standard output")
	fs.StringVar(&o.baseline, "baseline", "", "JSON output of an earlier run: failures that it has do not count")
	fs.StringVar(&o.certificates, "certificate", "", "write a certificate of every claim that an enclosure decides into this directory; verify check reads them")
}

// prepare checks the flags and reads the baseline.
func (o *certifyOutput) prepare() error {
	switch o.format {
	case "text", "json", "junit", "sarif", "github":
	default:
		return fmt.Errorf("--format = %q, want %s", o.format, certifyFormats)
	}
	if o.isText() && o.output != "" {
		return fmt.Errorf("--output = %q, want a --format other than text", o.output)
	}
	if err := checkOutput(o.output); err != nil {
		return err
	}
	if o.certificates != "" {
		if err := os.MkdirAll(o.certificates, 0o777); err != nil {
			return fmt.Errorf("--certificate: %w", err)
		}
		if err := checkOutput(filepath.Join(o.certificates, "certificate.json")); err != nil {
			return fmt.Errorf("--certificate: %w", err)
		}
	}
	if o.baseline == "" {
		return nil
	}
	const maxBaseline = 256 << 20
	data, err := certify.FileContents(o.baseline, maxBaseline)
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	r, err := certify.ReadReport(o.baseline, data)
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	o.known = make(map[claimKey][]certify.ClaimReport)
	for _, c := range r.Claims {
		if !c.AsExpected {
			k := claimKey{c.File, c.ID}
			o.known[k] = append(o.known[k], c)
		}
	}
	return nil
}

func (o *certifyOutput) isText() bool { return o.format == "text" }

// isKnown reports that the baseline has the same failure: the same claim of the same
// file with the same verdict, and with enclosures that meet those of this run, as
// they must if the mechanism and the numbers are still the same.
func (o *certifyOutput) isKnown(c certify.ClaimReport) bool {
	for _, k := range o.known[claimKey{c.File, c.ID}] {
		if k.Verdict == c.Verdict && meet(k.Delta, c.Delta) && meet(k.Epsilon, c.Epsilon) {
			return true
		}
	}
	return false
}

// meet reports whether two enclosures have a number in common.
func meet(a, b *certify.Bounds) bool {
	if a == nil || b == nil {
		return a == b
	}
	return atMost(a.Lo, b.Hi) && atMost(b.Lo, a.Hi)
}

// atMost reports x ≤ y for decimals, which may be infinite.
func atMost(x, y string) bool {
	if x == "-inf" || y == "inf" || x == y {
		return true
	}
	a, err1 := mechanism.ParseNumber(x)
	b, err2 := mechanism.ParseNumber(y)
	return err1 == nil && err2 == nil && a.Cmp(b) <= 0
}

// status is claimStatus, without what the baseline has.
func (o *certifyOutput) status(out *certify.Outcome) int {
	if o.known != nil && o.isKnown(certify.NewReport([]*certify.Outcome{out}).Claims[0]) {
		return statusOK
	}
	return claimStatus(out)
}

// finish writes everything but text, and the certificates. An interrupted run leaves the
// file of an earlier one as it is: it may be the next baseline.
func (o *certifyOutput) finish(stdout io.Writer, outcomes []*certify.Outcome, interrupted bool) error {
	if err := o.writeCertificates(outcomes); err != nil || o.isText() || interrupted && o.output != "" {
		return err
	}
	data, err := o.render(outcomes)
	if err != nil {
		return err
	}
	return writeOutput(stdout, o.output, data)
}

func (o *certifyOutput) render(outcomes []*certify.Outcome) ([]byte, error) {
	if o.format == "json" {
		return certify.NewReport(outcomes).JSON()
	}
	fs := report.Findings(outcomes, o.isKnown)
	switch o.format {
	case "junit":
		return report.JUnit(fs)
	case "sarif":
		return report.SARIF(version().Version, fs, o.baseline != "")
	}
	return report.GitHub(fs), nil
}

// writeCertificates writes a file for every outcome that has a certificate.
func (o *certifyOutput) writeCertificates(outcomes []*certify.Outcome) error {
	if o.certificates == "" {
		return nil
	}
	for _, out := range outcomes {
		cert, ok := certify.NewCertificate(version().Version, out)
		if !ok {
			continue
		}
		data, err := cert.JSON()
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(o.certificates, cert.FileName()), data); err != nil {
			return err
		}
	}
	return nil
}
