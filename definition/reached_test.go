// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package definition_test

import "testing"

type table map[string]int

func (table) add(trial) {}
func (table) check(*testing.T, int) {}
