// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package show

import (
	"regexp"
	"strings"
	"sync"
)

// plain are the texts that a shell takes as they are.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[-A-Za-z0-9_./:=@%+,]+$`) })

// Shell writes a word of a command as a POSIX shell reads it, in full.
func Shell(s string) string {
	if plain().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
