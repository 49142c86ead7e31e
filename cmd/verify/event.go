// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package main

import (
	"io"

	"dpverify/internal/source"
	"dpverify/mechanism"
)

// eventHelp says how an event is given on the command line.
const eventHelp = `EVENT is a mechanism in the form of dp_accounting's DpEvent: JSON or YAML text,
the path of a file with such text (also as @path), or - for standard input; or a short form,
as sgd(sigma=1.1, batch=256, n=60000, epochs=15) or gaussian(1) * 20 + laplace(10). A history
of Opacus, [(noise_multiplier, sample_rate, steps), …], stands for its training, and
claims.yaml#ID for the event of a claim.
"verify mechanisms" lists the classes and their fields.`

// askHelp ends the help of commands that ask about one event.
const askHelp = eventHelp + `

Exit status: 0 it is answered, as accurately as wanted or not, 2 it could not be, 130
it was interrupted.`

// decodeEvent reads the event of an EVENT argument.
func decodeEvent(arg string, stdin io.Reader, binary64 bool) (mechanism.Event, error) {
	return source.Event(arg, stdin, binary64)
}

// decodeRange reads the events that an EVENT argument may stand for.
func decodeRange(arg string, stdin io.Reader, binary64 bool) (mechanism.Range, error) {
	return source.Range(arg, stdin, binary64)
}
