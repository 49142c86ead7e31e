// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package shorthand

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"dpverify/internal/number"
	"dpverify/internal/show"
)

// Counts says how many steps an epoch of n records has, in batches of a size that need not divide n.
type Counts string

// The ways of counting.
const (
	Floor Counts = "floor" // ⌊n/batch⌋ an epoch: the last, smaller batch is dropped, as Opacus has it
	Ceil  Counts = "ceil"  // ⌈n/batch⌉ an epoch: the last, smaller batch is a step
	Exact Counts = "exact" // epochs·n/batch in all, rounded up: batches run over the ends of epochs
)

// countings is for the help.
const countings = "steps=floor: epochs·⌊n/batch⌋ (where nothing is said), ceil: epochs·⌈n/batch⌉, or exact: epochs·n/batch; rounded up"

// Words say how steps are counted.
func (c Counts) Words() string {
	switch c {
	case Ceil:
		return "⌈n/batch⌉ an epoch"
	case Exact:
		return "epochs·n/batch, rounded up"
	}
	return "⌊n/batch⌋ an epoch"
}

// steps returns how many steps there are, rounded up, where an epoch is each batches long.
func (c Counts) steps(epochs, each *big.Rat) *big.Rat {
	switch c {
	case Floor:
		each = new(big.Rat).SetInt(new(big.Int).Quo(each.Num(), each.Denom()))
	case Ceil:
		each = roundedUp(each)
	}
	return roundedUp(new(big.Rat).Mul(epochs, each))
}

// roundedUp returns the least integer that is not below x.
func roundedUp(x *big.Rat) *big.Rat {
	n := new(big.Int).Neg(x.Num())
	return new(big.Rat).SetInt(n.Neg(n.Div(n, x.Denom())))
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

// countsWord reads a way of counting, where steps may have one.
func (p *parser) countsWord(f Form, field string) (Counts, bool) {
	if f.Name != "sgd" || field != "steps" {
		return "", false
	}
	p.peek()
	at := p.at
	switch c := Counts(p.name()); c {
	case Floor, Ceil, Exact:
		return c, true
	}
	p.at = at
	return "", false
}

// sgd is the event of sgd.
func (p *parser) sgd(values map[string]any) (object, error) {
	for _, name := range []string{"batch", "n", "epochs"} {
		if values[name] == Unknown {
			return nil, fmt.Errorf("sgd with %s=?, want ? for sigma or steps", name)
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
	counts, said := values["steps"].(Counts)
	if said {
		values["steps"] = nil
	}
	epochs, steps := get("epochs"), get("steps")
	switch {
	case batch.Sign() <= 0 || n.Sign() <= 0 || batch.Cmp(n) > 0:
		return nil, errors.New("sgd takes a batch > 0 of at most n records")
	case said && epochs == nil:
		return nil, errors.New("sgd with steps=" + string(counts) + " takes epochs")
	case (values["epochs"] == nil) == (values["steps"] == nil):
		return nil, errors.New("sgd takes either epochs or steps")
	case values["steps"] == Unknown:
	case steps == nil:
		if !said {
			counts = p.counts
			p.unsaid++
		}
		if !slices.Contains(p.used, counts) {
			p.used = append(p.used, counts)
		}
		steps = counts.steps(epochs, new(big.Rat).Quo(n, batch))
	}
	count := Unknown
	if steps != nil {
		if !steps.IsInt() || steps.Sign() <= 0 {
			return nil, fmt.Errorf("sgd for %s steps, want an integer >= 1", show.Cut(number.Format(steps)))
		}
		count = number.Format(steps)
	}
	var e any = object{"class_name": "GaussianDpEvent", "noise_multiplier": values["sigma"]}
	if batch.Cmp(n) < 0 {
		e = object{"class_name": "PoissonSampledDpEvent", "sampling_probability": number.Format(new(big.Rat).Quo(batch, n)), "event": e}
	}
	return object{"class_name": "SelfComposedDpEvent", "event": e, "count": count}, nil
}
