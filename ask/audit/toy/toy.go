// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package toy is a tiny accountant in binary64, and one with a bug: what the audit is
// tested with, and a model for adapters.
//
// It composes Rényi divergences at fixed orders and converts them [Mir17,
// Proposition 3], so its bounds are loose. Poisson sampling is refused.
package toy

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// A Bug is a mistake that the accountant makes.
type Bug int

const (
	None Bug = iota
	// ForgetsCount: the count of a composition of Laplace noise with itself is not
	// used. A real accountant had a switch with a `count *` missing in one branch.
	ForgetsCount
)

type event struct {
	Class   string  `json:"class_name"`
	Noise   number  `json:"noise_multiplier"`
	Epsilon number  `json:"epsilon"`
	Delta   number  `json:"delta"`
	Count   number  `json:"count"`
	Event   *event  `json:"event"`
	Events  []event `json:"events"`
}

type question struct {
	ID       json.RawMessage `json:"id"`
	Event    event           `json:"event"`
	Relation string          `json:"relation"`
	Quantity string          `json:"quantity"`
	At       number          `json:"at"`
}

// A number is a JSON number or a string, which may be a quotient.
type number float64

func (n *number) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	num, den, quotient := strings.Cut(text, "/")
	x, err := strconv.ParseFloat(num, 64)
	if err == nil && quotient {
		var y float64
		y, err = strconv.ParseFloat(den, 64)
		x /= y
	}
	*n = number(x)
	return err
}

// Serve answers questions, one JSON object a line, until the input ends.
func Serve(in io.Reader, out io.Writer, bug Bug) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q question
		err := json.Unmarshal(lines.Bytes(), &q)
		var upper float64
		if err == nil {
			upper, err = answer(q, bug)
		}
		if q.ID == nil {
			q.ID = json.RawMessage("null")
		}
		if err != nil {
			text, _ := json.Marshal(err.Error())
			_, err = fmt.Fprintf(out, `{"id":%s,"error":%s}`+"\n", q.ID, text)
		} else {
			program, _ := json.Marshal(fmt.Sprintf("from toy import answer\n\nprint(answer(%q))", lines.Text()))
			_, err = fmt.Fprintf(out, `{"id":%s,"upper":"%v","accountant":"toy 1","reproduce":%s}`+"\n", q.ID, upper, program)
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

// upward covers the rounding of the few hundred operations behind a bound, each of
// relative error 2^−53.
const upward = 1 + 1e-9

// tiny is far above what exp flushes to 0: a δ of 0 would be a claim that it cannot
// prove.
const tiny = 1e-300

func answer(q question, bug Bug) (float64, error) {
	sensitivity := 1.0
	if q.Relation == "REPLACE_ONE" {
		sensitivity = 2
	}
	best := math.Inf(1)
	at := float64(q.At)
	if q.Quantity == "renyi" {
		if at <= 1 {
			return 0, errors.New("renyi of an order <= 1")
		}
		rho, err := renyi(q.Event, at, sensitivity, bug)
		return upward * rho, err
	}
	for order := 1.125; order < 4096; order *= 1.125 {
		rho, err := renyi(q.Event, order, sensitivity, bug)
		if err != nil {
			return 0, err
		}
		switch q.Quantity {
		case "epsilon":
			best = min(best, upward*(rho+math.Log(1/at)/(order-1)))
		case "delta":
			best = min(best, 1, max(tiny, upward*math.Exp((order-1)*(upward*rho-at))))
		default:
			return 0, fmt.Errorf("quantity %q", q.Quantity)
		}
	}
	return best, nil
}

// renyi returns a bound of the Rényi divergence of an order α > 1, in nats.
func renyi(e event, a, sensitivity float64, bug Bug) (float64, error) {
	switch e.Class {
	case "NoOpDpEvent":
		return 0, nil
	case "GaussianDpEvent":
		s := sensitivity / float64(e.Noise)
		return a * s * s / 2, nil
	case "LaplaceDpEvent":
		x := sensitivity / float64(e.Noise)
		// log(α/(2α−1)·e^{(α−1)x} + (α−1)/(2α−1)·e^{−αx})/(α−1)
		u, v := math.Log(a/(2*a-1))+(a-1)*x, math.Log((a-1)/(2*a-1))-a*x
		return min(x, max(0, (u+math.Log1p(math.Exp(v-u)))/(a-1))), nil
	case "EpsilonDeltaDpEvent":
		if e.Delta > 0 {
			return 0, errors.New("EpsilonDeltaDpEvent with delta > 0 has no Rényi bound")
		}
		x := float64(e.Epsilon)
		return min(x, a*x*x/2), nil
	case "SelfComposedDpEvent":
		rho, err := renyi(*e.Event, a, sensitivity, bug)
		if bug == ForgetsCount && e.Event.Class == "LaplaceDpEvent" {
			return rho, err
		}
		return float64(e.Count) * rho, err
	case "ComposedDpEvent":
		total := 0.0
		for _, part := range e.Events {
			rho, err := renyi(part, a, sensitivity, bug)
			if err != nil {
				return 0, err
			}
			total += rho
		}
		return total, nil
	}
	return 0, fmt.Errorf("%s is not supported", e.Class)
}
