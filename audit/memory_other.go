// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

//go:build !linux

package audit

// watch does nothing here: memory is bounded on Linux only.
func (p *process) watch() {}
