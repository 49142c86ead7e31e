// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package closed has the privacy losses and profiles that have a closed form.
//
// The forms are equalities, so that both ends of an enclosure are bounds. ε is any
// real number, in nats.
package closed
