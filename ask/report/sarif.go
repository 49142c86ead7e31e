// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"dpverify/certify"
	"dpverify/internal/build"
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
