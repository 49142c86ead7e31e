// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"dpverify/certify"
	"dpverify/internal/build"
	"dpverify/internal/prose"
)

// The part of SARIF 2.1.0 that is written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Home    string      `json:"informationUri,omitempty"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID        string            `json:"ruleId"`
		RuleIndex     int               `json:"ruleIndex"`
		Kind          string            `json:"kind"`
		Level         string            `json:"level"`
		Message       sarifMessage      `json:"message"`
		Locations     [1]sarifLocation  `json:"locations"`
		Fingerprints  map[string]string `json:"partialFingerprints"`
		BaselineState string            `json:"baselineState,omitempty"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI string `json:"uri"`
			} `json:"artifactLocation"`
			Region struct {
				StartLine int `json:"startLine"`
			} `json:"region"`
		} `json:"physicalLocation"`
		Logical [1]struct {
			Name string `json:"name"`
		} `json:"logicalLocations"`
	}
)

// sarifRules are the verdicts, in the order of ruleIndex.
var sarifRules = []struct {
	verdict certify.Verdict
	text    string
}{
	{certify.Verified, "The claim is true."},
	{certify.Refuted, "The claim is false: the mechanism is less private than it says."},
	{certify.Undecided, "The enclosure reached does not tell whether the claim is true."},
	{certify.Malformed, "The claim has no meaning."},
	{certify.Stated, "The event states the claim: nothing was verified."},
}

// SARIF writes one result for each claim. One that is as expected passes, but STATED is
// a note; of the others REFUTED and MALFORMED are errors and UNDECIDED is a warning. withBaseline
// says that a baseline was given.
func SARIF(version string, fs []Finding, withBaseline bool) ([]byte, error) {
	driver := sarifDriver{Name: "dpverify", Home: build.Home(), Version: version}
	index := make(map[certify.Verdict]int)
	for i, r := range sarifRules {
		index[r.verdict] = i
		driver.Rules = append(driver.Rules, sarifRule{string(r.verdict), sarifMessage{r.text}})
	}
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = driver
	for _, f := range fs {
		r := sarifResult{RuleID: string(f.Verdict), RuleIndex: index[f.Verdict], Kind: "fail", Level: "error",
			Message:      sarifMessage{f.Name() + ": " + f.Message()},
			Fingerprints: map[string]string{"claim/v1": printable(f.File) + "#" + printable(f.ID)}}
		switch {
		case f.NothingVerified():
			r.Level = "note"
		case f.AsExpected:
			r.Kind, r.Level = "pass", "none"
		case f.open():
			r.Level = "warning"
		}
		if withBaseline {
			r.BaselineState = "new"
			if f.Known {
				r.BaselineState = "unchanged"
			}
		}
		at := &r.Locations[0]
		at.Physical.Artifact.URI, at.Physical.Region.StartLine, at.Logical[0].Name = uri(f.File),
			max(f.Line, 1), f.Name()
		run.Results = append(run.Results, r)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	err := enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
	return b.Bytes(), err
}

// uri returns a path as a URI reference.
func uri(path string) string {
	u := url.URL{Path: filepath.ToSlash(path)}
	if strings.HasPrefix(u.Path, "/") {
		u.Scheme = "file"
	}
	return u.String()
}

type junitSuites struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCounts
	Suites []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	junitCounts
	Cases []junitCase `xml:"testcase"`
}

type junitCounts struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
}

type junitCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	File    string     `xml:"file,attr"`
	Line    int        `xml:"line,attr"`
	Failure *junitText `xml:"failure"`
	Error   *junitText `xml:"error"`
	Skipped *junitText `xml:"skipped"`
	Output  string     `xml:"system-out,omitempty"`
}

type junitText struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
}

// JUnit writes one test case for each claim, in a suite for each file. A verdict that
// is the expected one passes; else MALFORMED is an error, UNDECIDED is skipped, and
// the rest are failures. A failure of the baseline is skipped, and so is STATED.
func JUnit(fs []Finding) ([]byte, error) {
	all := junitSuites{junitCounts: junitCounts{Name: "verify certify"}}
	for _, f := range fs {
		file := printable(f.File)
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != file {
			all.Suites = append(all.Suites, junitSuite{junitCounts: junitCounts{Name: file}})
		}
		s := &all.Suites[len(all.Suites)-1]
		c := junitCase{Class: file, Name: f.Name(), File: file, Line: f.Line}
		text := &junitText{Type: string(f.Verdict), Message: f.Message()}
		s.Tests++
		switch {
		case f.AsExpected && !f.NothingVerified():
			c.Output = f.Message()
		case f.NothingVerified() || f.Known || f.open():
			c.Skipped, text.Type = text, ""
			s.Skipped++
		case f.Verdict == certify.Malformed:
			c.Error = text
			s.Errors++
		default:
			c.Failure = text
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
	}
	var b bytes.Buffer
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(&b)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// GitHub writes workflow commands of GitHub Actions: an annotation at the line of
// each claim that is not as expected. REFUTED, MALFORMED and an unexpected VERIFIED
// or STATED are errors, UNDECIDED is a warning, a failure of the baseline is a notice. So
// is every other STATED.
func GitHub(fs []Finding) []byte {
	var b strings.Builder
	counts := make(map[certify.Verdict]int)
	for _, f := range fs {
		counts[f.Verdict]++
		level := "error"
		switch {
		case f.NothingVerified() || f.Known:
			level = "notice"
		case f.AsExpected:
			continue
		case f.open():
			level = "warning"
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,title=%s::%s\n", level, property(f.File), max(f.Line, 1),
			property(f.Name()), breaks.Replace(f.Message()))
	}
	fmt.Fprintf(&b, "%s: %s\n", prose.Many(len(fs), "claim", "claims"), certify.Tally(counts))
	return []byte(b.String())
}

// breaks escapes the message of a workflow command.
var breaks = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(breaks.Replace(printableButBreaks(s)))
}

// printableButBreaks is printable, but leaves line breaks, which property escapes.
func printableButBreaks(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\r' {
			b.WriteRune(r)
		} else {
			b.WriteString(printable(string(r)))
		}
	}
	return b.String()
}
