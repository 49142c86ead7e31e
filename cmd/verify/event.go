package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dpverify/certify"
	"dpverify/document"
	"dpverify/mechanism"
)

// eventHelp says how an event is given on the command line.
const eventHelp = `EVENT is a mechanism in the form of dp_accounting's DpEvent: JSON or YAML text,
the path of a file with such text (also as @path), or - for standard input.
"verify mechanisms" lists the classes and their fields.`

// maxEventBytes bounds an event.
const maxEventBytes = 64 << 20

// An eventSource is where an event was read from.
type eventSource struct {
	name string // for errors; empty for the command line itself
	dir  string // that files named in it are relative to
	data []byte
}

// readEvent returns the text of an EVENT argument.
func readEvent(arg string, stdin io.Reader) (eventSource, error) {
	path, isPath := strings.CutPrefix(arg, "@")
	switch {
	case isPath && path == "":
		return eventSource{}, errors.New(`EVENT = "@", want a path after @`)
	case !isPath && strings.HasPrefix(strings.TrimSpace(arg), "{"):
		return eventSource{dir: ".", data: []byte(arg)}, nil
	case !isPath && arg == "-":
		data, err := readAtMost(stdin, maxEventBytes)
		return eventSource{name: "<stdin>", dir: ".", data: data}, err
	}
	f, err := os.Open(path)
	if err != nil {
		if !isPath && errors.Is(err, fs.ErrNotExist) {
			return eventSource{}, fmt.Errorf("EVENT = %q, want {class_name: …}, the path of a file or -", path)
		}
		return eventSource{}, err
	}
	defer f.Close()
	data, err := readAtMost(f, maxEventBytes)
	return eventSource{name: path, dir: filepath.Dir(path), data: data}, err
}

func readAtMost(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("the event is longer than %d bytes", limit)
	}
	return data, err
}

// decodeEvent reads the event of an EVENT argument.
func decodeEvent(arg string, stdin io.Reader, binary64 bool) (mechanism.Event, error) {
	src, err := readEvent(arg, stdin)
	if err != nil {
		return nil, err
	}
	node, err := certify.ParseDocument(src.data)
	if err != nil {
		return nil, src.locate(err)
	}
	d := mechanism.Decoder{Binary64: binary64, Open: certify.OpenIn(src.dir)}
	e, err := d.Event(node, "event")
	if err != nil {
		return nil, src.locate(err)
	}
	return e, nil
}

// locate adds the place to an error about the source.
func (s eventSource) locate(err error) error {
	name := "EVENT"
	if s.name != "" {
		name = certify.Printable(s.name)
	}
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: column %d: %s", name, syntax.Line, syntax.Column, syntax.Msg)
	}
	if line := certify.ErrorLine(err); line > 0 {
		return fmt.Errorf("%s:%d: %w", name, line, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
