package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"dpverify/ask"
	"dpverify/exact"
)

func newQuery() *cobra.Command {
	var memory memorySize
	c := &cobra.Command{
		Use:   "query",
		Short: "Answer questions in JSON Lines, from standard input to standard output",
		Long: `Answer questions, one JSON object a line:

  {"id": …, "event": {…}, "quantity": "delta" | "epsilon" | "renyi" | "tradeoff" | "tv", "at": "1.0",
   "relation": …, "direction": …, "number_format": …, "digits": 12, "timeout": 60}

Questions are answered in parallel and in order, each as soon as it and its
predecessors are done. A line that cannot be answered yields an error object, and
the exit status is 2 in the end. docs/format.md describes the fields.`,
		Example: `  echo '{"id":1,"event":{"class_name":"GaussianDpEvent","noise_multiplier":1},"quantity":"delta","at":1}' | verify query`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return answerQueries(c.Context(), memory, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	registerMemory(c, &memory)
	return c
}

// A reply is one line of output.
type reply struct {
	id     json.RawMessage
	answer *queryAnswer
	err    error // instead of an answer
	bug    error // of the engine, to be said aloud
	read   error // of standard input: there is no line
}

// A queryAnswer is a line with an answer, its fields in the order of the protocol.
type queryAnswer struct {
	ID       json.RawMessage `json:"id"`
	Quantity string          `json:"quantity"`
	At       json.RawMessage `json:"at,omitempty"`
	Lo       string          `json:"lo"`
	Hi       string          `json:"hi"`
	Methods  []string        `json:"methods"`
	Complete bool            `json:"complete"`
	Seconds  json.Number     `json:"seconds"`
	Reason   string          `json:"reason,omitempty"`
	Notes    []string        `json:"notes,omitempty"`
}

// A queryError is a line that could not be answered.
type queryError struct {
	ID    json.RawMessage `json:"id"`
	Error string          `json:"error"`
}

// answerQueries answers every line of stdin.
func answerQueries(ctx context.Context, memory memorySize, stdin io.Reader, stdout, stderr io.Writer) error {
	failed := false
	for r := range ordered(lines(ctx, stdin), func(l line) reply { return answerLine(ctx, memory, l) }) {
		if r.read != nil {
			return fmt.Errorf("standard input: %w", r.read)
		}
		if r.bug != nil {
			printError(stderr, r.bug)
		}
		failed = failed || r.err != nil
		if err := r.write(stdout); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return errInterrupted
	case failed:
		return statusError(statusFailed)
	}
	return nil
}

// write writes a reply as one line.
func (r reply) write(w io.Writer) error {
	var v any = r.answer
	if r.err != nil {
		v = queryError{r.id, r.err.Error()}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// answerLine answers one line.
func answerLine(ctx context.Context, memory memorySize, l line) reply {
	r := reply{id: json.RawMessage("null")}
	switch {
	case l.err != nil:
		r.read = l.err
		return r
	case l.tooLong:
		r.err = fmt.Errorf("line %d: longer than %d bytes", l.number, maxLine)
		return r
	}
	r.err = ask.Guard(func() error {
		started := time.Now()
		q, id, err := decodeQuery(l)
		if id != nil {
			r.id = id
		}
		if err != nil {
			return err
		}
		q.Question.MaxMemory = int64(memory)
		answers, err := ask.Range(ctx, q.Question, q.events, q.Goal, q.Quantity)
		if answers == nil {
			return err
		}
		a := answers[0]
		r.answer = &queryAnswer{ID: r.id, Quantity: q.name, At: q.at, Complete: a.Complete(), Reason: lacking(a), Notes: a.Notes}
		r.answer.Methods = append([]string{}, a.Methods...)
		r.answer.Lo, r.answer.Hi = a.Decimal(q.Digits)
		r.answer.Seconds = json.Number(strconv.FormatFloat(time.Since(started).Seconds(), 'f', 6, 64))
		return nil
	})
	var bug *exact.InconsistencyError
	var crash *ask.PanicError
	if errors.As(r.err, &bug) || errors.As(r.err, &crash) {
		r.bug = fmt.Errorf("line %d: %w", l.number, r.err)
		r.err = errors.New("internal error: " + firstLine(r.err.Error()))
	}
	return r
}
