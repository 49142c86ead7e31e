// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"bytes"
	"encoding/xml"

	"dpverify/certify"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
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
	all := junitSuites{Name: "verify certify"}
	for _, f := range fs {
		file := printable(f.File)
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != file {
			all.Suites = append(all.Suites, junitSuite{Name: file})
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
