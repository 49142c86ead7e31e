// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Package tree has the tests about the tree as a whole: which package may import which, how large each may be, which
// names are promised, what every event and relation has to have, and that the pages name what is there.
package tree
