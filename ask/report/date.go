// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"os"
	"strconv"
	"time"
)

// Today is the date, or the one that SOURCE_DATE_EPOCH names, as builds that are to be repeated set it.
func Today() string {
	at := time.Now()
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		at = time.Unix(epoch, 0)
	}
	return at.UTC().Format(time.DateOnly)
}
