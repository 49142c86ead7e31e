// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package shorthand reads events as people write them in a line:
//
//	sgd(sigma=1.1, batch=256, n=60000, epochs=15)
//	gaussian(1) * 20 + laplace(10)
//	group(poisson(0.01, gaussian(2)), 3)
//
// The grammar is
//
//	event  = term { "+" term }                 a composition
//	term   = [ count "*" ] factor { "*" count }  so many times
//	factor = name "(" [ arg { "," arg } ] ")" | "(" event ")"
//	arg    = [ name "=" ] ( number | event )
//
// with numbers as package number reads them, or ? for one that is to be found. Arguments without a name come first,
// in the order of Forms.
package shorthand

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"dpverify/internal/document"
	"dpverify/internal/number"
	"dpverify/internal/show"
	"dpverify/internal/suggest"
)

// A Form is a name with what it takes.
type Form struct {
	Name   string
	Fields []string // optional ones end in ?, events are called event; a|b is one of two
	About  string

	class string
	names []string // the fields of the class, in the order of Fields
}

// Forms are all of them.
var Forms = []Form{
	{"gaussian", []string{"sigma|variance"}, "Gaussian noise, sigma in units of the clipping norm, or sigma^2",
		"GaussianDpEvent", []string{"noise_multiplier|noise_variance"}},
	{"laplace", []string{"scale"}, "Laplace noise, scale in units of the clipping norm", "LaplaceDpEvent",
		[]string{"noise_multiplier"}},
	{"discrete_gaussian", []string{"sigma|variance", "sensitivity?", "dimension?"},
		"discrete Gaussian noise of parameter sigma, or sigma^2", "DiscreteGaussianDpEvent",
		[]string{"sigma|variance", "sensitivity", "dimension"}},
	{"discrete_laplace", []string{"parameter", "sensitivity"}, "discrete Laplace noise", "DiscreteLaplaceDpEvent",
		[]string{"noise_parameter", "sensitivity"}},
	{"dp", []string{"epsilon", "delta?"}, "a guarantee of (epsilon, delta), delta = 0 if it is left out",
		"EpsilonDeltaDpEvent", []string{"epsilon", "delta"}},
	{"zcdp", []string{"rho", "xi?"}, "a guarantee of rho-zCDP", "ZCDpEvent", []string{"rho", "xi"}},
	{"randomized_response", []string{"p", "buckets"}, "with probability p uniform over all buckets",
		"RandomizedResponseDpEvent", []string{"noise_parameter", "num_buckets"}},
	{"exponential", []string{"epsilon"}, "the exponential mechanism", "ExponentialMechanismDpEvent", []string{"epsilon"}},
	{"permute_and_flip", []string{"epsilon"}, "permute-and-flip", "PermuteAndFlipDpEvent", []string{"epsilon"}},
	{"tree", []string{"sigma", "steps"}, "a tree of partial sums, sigma in each node", "SingleEpochTreeAggregationDpEvent",
		[]string{"noise_multiplier", "step_counts"}},
	{"poisson", []string{"q", "event"}, "an event on a Poisson sample", "PoissonSampledDpEvent",
		[]string{"sampling_probability", "event"}},
	{"subset", []string{"n", "size", "event"}, "an event on a sample of size of n records without replacement",
		"SampledWithoutReplacementDpEvent", []string{"source_dataset_size", "sample_size", "event"}},
	{"group", []string{"event", "size"}, "what a group of records sees", "GroupEvent", []string{"event", "size"}},
	{"sgd", []string{"sigma", "batch", "n", "epochs?", "steps?", "sampling?", "count?"},
		"DP-SGD: a Poisson sample of rate batch/n with Gaussian noise, for so many steps, or for epochs\n" +
			"with " + countings + ";\nsampling=" + strings.Replace(samplingWords(), "|alloc", "|\n  alloc", 1), "", nil},
}

// Looks reports whether a text is meant as a short form: a name or nothing before a parenthesis.
func Looks(text string) bool {
	before, _, ok := strings.Cut(strings.TrimSpace(text), "(")
	if count, rest, times := strings.Cut(before, "*"); times && strings.Trim(count, "0123456789? \t") == "" {
		before = rest
	}
	return ok && strings.Trim(before, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_ \t") == ""
}

// maxLength bounds a text, and maxDepth the parentheses in it.
const (
	maxLength = 1 << 16
	maxDepth  = 50
)

// Parse returns the event of a text as JSON. An error says at which column, from 1 on, what was wanted.
func Parse(text string) ([]byte, error) {
	data, _, err := Counting(text, Floor)
	return data, err
}

// Expand returns the event that the text of a node stands for, as if it stood on the same line.
func Expand(n *document.Node) (*document.Node, error) {
	data, err := Parse(n.Text)
	if err != nil {
		return nil, err
	}
	return document.ParseJSON(data, document.FirstLine(n.Line))
}

type parser struct {
	text   string
	at     int
	counts Counts // of trainings that do not say
	unsaid int    // how many trainings did not say
	used   []Counts
}

func (p *parser) peek() byte {
	p.at = len(p.text) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n"))
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *parser) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) wanted(what string) error {
	rest := "the end"
	if p.peek() != 0 {
		rest = show.Quote(show.Cut(p.text[p.at:]))
	}
	return fmt.Errorf("column %d: %s, want %s", p.at+1, rest, what)
}

func (p *parser) fault(at int, format string, args ...any) error {
	return fmt.Errorf("column %d: %s", at+1, fmt.Sprintf(format, args...))
}

func (p *parser) event(depth int) (object, error) {
	var all []object
	for {
		e, err := p.term(depth)
		if err != nil {
			return nil, err
		}
		if all = append(all, e); !p.take('+') {
			break
		}
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return object{"class_name": "ComposedDpEvent", "events": all}, nil
}

// term is an event with counts after it, or one before it.
func (p *parser) term(depth int) (object, error) {
	before := ""
	if c := p.peek(); c >= '0' && c <= '9' || c == '?' {
		var err error
		if before, err = p.count(); err != nil {
			return nil, err
		}
		if !p.take('*') {
			return nil, p.wanted("* and a mechanism")
		}
	}
	e, err := p.factor(depth)
	if before != "" {
		e = object{"class_name": "SelfComposedDpEvent", "event": e, "count": before}
	}
	for err == nil && p.take('*') {
		var text string
		text, err = p.count()
		e = object{"class_name": "SelfComposedDpEvent", "event": e, "count": text}
	}
	return e, err
}

// count reads how often an event happens.
func (p *parser) count() (string, error) {
	p.peek()
	at := p.at
	x, text, err := p.number()
	if err == nil && x != nil && (!x.IsInt() || x.Sign() <= 0) {
		err = p.fault(at, "%s times, want an integer >= 1", show.Cut(text))
	}
	return text, err
}

func (p *parser) factor(depth int) (object, error) {
	if depth > maxDepth {
		return nil, p.fault(p.at, "more than %d parentheses in each other", maxDepth)
	}
	if p.take('(') {
		e, err := p.event(depth + 1)
		if err == nil && !p.take(')') {
			err = p.wanted("+, * or )")
		}
		return e, err
	}
	p.peek()
	at := p.at
	name := p.name()
	if name == "" {
		return nil, p.wanted("a mechanism such as gaussian(1)")
	}
	for _, f := range Forms {
		if f.Name == name {
			return p.arguments(f, at, depth)
		}
	}
	return nil, p.fault(at, "%s, want one of %s%s", show.Quote(show.Cut(name)), strings.Join(Names(), ", "),
		suggest.Perhaps(name, Names()))
}

// Names are the names of all forms.
func Names() []string {
	out := make([]string, len(Forms))
	for i, f := range Forms {
		out[i] = f.Name
	}
	return out
}

func (p *parser) name() string {
	start := p.at
	for p.at < len(p.text) && (p.text[p.at] == '_' || 'a' <= p.text[p.at]|0x20 && p.text[p.at]|0x20 <= 'z') {
		p.at++
	}
	return p.text[start:p.at]
}

// numeral matches what can be in a number. A sign is part of it at its start and after e, and otherwise the next term.
var numeral = regexp.MustCompile(`^[-+]?([eE][-+]?|[0-9./])*`)

// number reads a number up to what cannot be in one, nil for an unknown one.
func (p *parser) number() (*big.Rat, string, error) {
	if p.take('?') {
		return nil, Unknown, nil
	}
	start := p.at
	text := numeral.FindString(p.text[start:])
	if p.at += len(text); text == "" {
		return nil, "", p.wanted("a number")
	}
	x, err := number.Parse(text)
	if err != nil {
		return nil, "", p.fault(start, "%v", err)
	}
	return x, text, nil
}

// arguments reads the arguments of a form, and returns its event.
func (p *parser) arguments(f Form, at, depth int) (object, error) {
	if !p.take('(') {
		return nil, p.wanted("( after " + f.Name)
	}
	values := make(map[string]any)
	position := 0
	for first := true; !p.take(')'); first = false {
		if !first && !p.take(',') {
			if p.peek() == 0 && !strings.Contains(p.text, ",") { // YAML has cut it there
				return nil, p.wanted(", or ); inside of {…} a text with commas needs quotes")
			}
			return nil, p.wanted(", or )")
		}
		field, err := p.field(f, &position, values)
		if err != nil {
			return nil, err
		}
		switch field {
		case "event":
			values[field], err = p.event(depth + 1)
		case "sampling":
			values[field], err = p.sampling()
		case "count":
			values[field], err = p.countsWord()
		default:
			_, values[field], err = p.number()
		}
		if err != nil {
			return nil, err
		}
	}
	for _, field := range f.Fields {
		name, optional := strings.CutSuffix(field, "?")
		given := 0
		for _, one := range strings.Split(name, "|") {
			if values[one] != nil {
				given++
			}
		}
		if given > 1 {
			return nil, p.fault(at, "%s with both of %s, want %s(%s)", f.Name, strings.ReplaceAll(name, "|", " and "), f.Name,
				strings.Join(f.Fields, ", "))
		}
		if given == 0 && !optional {
			return nil, p.fault(at, "%s without %s, want %s(%s)", f.Name, name, f.Name, strings.Join(f.Fields, ", "))
		}
	}
	if f.class == "" {
		e, err := p.sgd(values)
		if err != nil {
			return nil, p.fault(at, "%v", err)
		}
		return e, nil
	}
	e := object{"class_name": f.class}
	if f.Name == "dp" && values["delta"] == nil {
		values["delta"] = "0"
	}
	for i, field := range f.Fields {
		names := strings.Split(f.names[i], "|")
		for k, one := range strings.Split(strings.TrimSuffix(field, "?"), "|") {
			if v := values[one]; v != nil {
				e[names[k]] = v
			}
		}
	}
	return e, nil
}

// ofTrainings are arguments that noise by itself does not have.
var ofTrainings = []string{"q", "rate", "sampling_rate", "sample_rate", "sampling_probability", "batch", "n", "epochs",
	"steps", "count"}

// field reads which field the next argument is.
func (p *parser) field(f Form, position *int, values map[string]any) (string, error) {
	p.peek()
	at := p.at
	name := p.name()
	if name == "" || !p.take('=') {
		p.at = at
		if form := fmt.Sprintf("%s(%s)", f.Name, strings.Join(f.Fields, ", ")); *position < 0 {
			return "", p.wanted("a name and =, as before it, of " + form)
		} else if *position >= len(f.Fields) {
			return "", p.wanted(form)
		}
		name, _, _ = strings.Cut(strings.TrimSuffix(f.Fields[*position], "?"), "|")
		*position++
	} else {
		var known []string
		for _, field := range f.Fields {
			known = append(known, strings.Split(strings.TrimSuffix(field, "?"), "|")...)
		}
		if !slices.Contains(known, name) {
			want := fmt.Sprintf("%s(%s)", f.Name, strings.Join(f.Fields, ", "))
			if perhaps := suggest.Field(name, known); perhaps != "" {
				want += "; " + perhaps
			} else if slices.Contains(ofTrainings, name) {
				want += "; poisson(q, event) is for samples, * steps for copies, and sgd for both"
			}
			return "", p.fault(at, "%s = …, want %s", show.Cut(name), want)
		}
		*position = -1 // from here on all have names
	}
	if values[name] != nil {
		return "", p.fault(at, "%s is given twice", name)
	}
	return name, nil
}

// sampling reads how batches are made: a word, and a number in parentheses where it takes one.
func (p *parser) sampling() (sampling, error) {
	p.peek()
	at := p.at
	name := p.name()
	for _, s := range samplings {
		word, sized := strings.CutSuffix(s, "(")
		if word != name {
			continue
		}
		out := sampling{name: name}
		if !sized {
			return out, nil
		}
		if !p.take('(') {
			return out, p.wanted("( after " + name)
		}
		start := p.at
		x, text, err := p.number()
		if err == nil && (x == nil || !x.IsInt() || x.Sign() <= 0) {
			err = p.fault(start, "%s(%s), want an integer >= 1", name, show.Cut(text))
		}
		if err == nil && !p.take(')') {
			err = p.wanted(")")
		}
		out.size = x
		return out, err
	}
	p.at = at
	return sampling{}, p.wanted(samplingWords() + suggest.Perhaps(name, strings.FieldsFunc(strings.Join(samplings, "("),
		func(r rune) bool { return r == '(' })))
}

// Counting is Parse with the steps of trainings counted in a way where they do not say how. It returns how many do not.
func Counting(text string, counts Counts) (event []byte, unsaid int, err error) {
	p, event, err := parsed(text, counts)
	if err != nil {
		return nil, 0, err
	}
	return event, p.unsaid, nil
}

// Counted are the ways in which a text counts the steps of its trainings, once each.
func Counted(text string) []Counts {
	p, _, err := parsed(text, Floor)
	if err != nil {
		return nil
	}
	return p.used
}

func parsed(text string, counts Counts) (p *parser, event []byte, err error) {
	if len(text) > maxLength {
		return nil, nil, fmt.Errorf("a text of %d bytes, want at most %d", len(text), maxLength)
	}
	p = &parser{text: text, counts: counts}
	e, err := p.event(0)
	if err == nil && p.peek() != 0 {
		err = p.wanted("+, * or the end")
	}
	if err != nil {
		return nil, nil, err
	}
	event, err = json.Marshal(e)
	return p, event, err
}

// countsWord reads a way of counting.
func (p *parser) countsWord() (Counts, error) {
	p.peek()
	at := p.at
	name := p.name()
	switch c := Counts(name); c {
	case Floor, Ceil, Exact:
		return c, nil
	}
	p.at = at
	const want = "floor, ceil or exact"
	return "", p.wanted(want + suggest.Among(show.Quote(name), want))
}

// sgd is the event of sgd.
func (p *parser) sgd(values map[string]any) (object, error) {
	for _, name := range []string{"batch", "n", "epochs"} {
		if values[name] == Unknown {
			return nil, fmt.Errorf("sgd with %s=?, want ? for sigma or steps; of poisson(?, gaussian(sigma)) * steps, the "+
				"rate batch/n is found", name)
		}
	}
	get := func(name string) *big.Rat {
		if values[name] == nil || values[name] == Unknown {
			return nil
		}
		x, err := number.Parse(values[name].(string))
		if err != nil {
			return nil // it was read before
		}
		return x
	}
	batch, n := get("batch"), get("n")
	counts, said := values["count"].(Counts)
	if !said {
		counts = p.counts
	}
	epochs, steps := get("epochs"), get("steps")
	switch {
	case batch.Sign() <= 0 || n.Sign() <= 0 || batch.Cmp(n) > 0:
		return nil, errors.New("sgd takes a batch > 0 of at most n records")
	case said && epochs == nil:
		return nil, errors.New("sgd with count=" + string(counts) + " takes epochs")
	case (values["epochs"] == nil) == (values["steps"] == nil):
		return nil, errors.New("sgd takes either epochs or steps")
	case values["steps"] == Unknown:
	case steps == nil:
		if !said {
			p.unsaid++
		}
		if !slices.Contains(p.used, counts) {
			p.used = append(p.used, counts)
		}
		steps = counts.steps(epochs, new(big.Rat).Quo(n, batch))
	}
	if steps != nil && (!steps.IsInt() || steps.Sign() <= 0) {
		return nil, fmt.Errorf("sgd for %s steps, want an integer >= 1", show.Cut(number.Format(steps)))
	}
	how, ok := values["sampling"].(sampling)
	if !ok {
		how.name = "poisson"
	}
	e, err := events[how.name](training{values["sigma"], batch, n, steps, counts}, how.size)
	if err != nil && ok {
		return nil, fmt.Errorf("sgd with sampling=%s: %w", how.name, err)
	}
	return e, err
}

// Help lists the short forms for people.
func Help() string {
	var b strings.Builder
	b.WriteString("\nShort forms, wherever an event is wanted, also with * for copies, + for a composition,\n" +
		"and names (sigma=1):\n")
	for _, f := range Forms {
		b.WriteString(f.text())
	}
	return b.String()
}

// HelpOf is the part of [Help] about the forms that have a name or stand for a class; empty if none does.
func HelpOf(name string) string {
	var b strings.Builder
	for _, f := range Forms {
		if strings.EqualFold(f.Name, name) || f.class != "" && strings.EqualFold(f.class, name) {
			b.WriteString(f.text())
		}
	}
	return b.String()
}

// ClassOf is the class that a form stands for; empty where it stands for several or is none.
func ClassOf(name string) string {
	for _, f := range Forms {
		if strings.EqualFold(f.Name, name) {
			return f.class
		}
	}
	return ""
}

func (f Form) text() string {
	return fmt.Sprintf("  %s(%s)\n      %s\n", f.Name, strings.Join(f.Fields, ", "),
		strings.ReplaceAll(f.About, "\n", "\n      "))
}
