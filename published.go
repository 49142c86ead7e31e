// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package dpverify

import "embed"

// Published holds the claims of testdata/golden/published, which "verify reproduce" decides.
//
//go:embed testdata/golden/published/*.yaml
var Published embed.FS
