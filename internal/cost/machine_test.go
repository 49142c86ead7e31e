// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package cost

import (
	"runtime"
	"testing"
	"testing/fstest"
)

// TestMachine: of what the files of a system say, the least counts, and what is not understood counts as unknown.
func TestMachine(t *testing.T) {
	const free = "MemFree:         2048 kB\n"
	for _, c := range []struct {
		meminfo, group string
		want           int64
	}{
		{"MemTotal:       24000 kB\n" + free, "", 24000 << 10},
		{free + "MemTotal:       24000 kB\n", "max\n", 24000 << 10},
		{"MemTotal:       24000 kB\n", "1048576\n", 1 << 20},
		{"MemTotal:       24000 kB\n", "9223372036854771712\n", 24000 << 10},
		{"", "1048576\n", 1 << 20},
		{"", "", 0},
		{free, "", 0},
		{"MemTotal:       24000\n", "", 0},
		{"MemTotal:       many kB\n", "-1", 0},
		{"MemTotal:       9223372036854775807 kB\n", "", 0},
	} {
		root := fstest.MapFS{}
		if c.meminfo != "" {
			root["proc/meminfo"] = &fstest.MapFile{Data: []byte(c.meminfo)}
		}
		if c.group != "" {
			root["sys/fs/cgroup/memory.max"] = &fstest.MapFile{Data: []byte(c.group)}
		}
		if got := machine(root); got != c.want {
			t.Errorf("%q, %q: %d bytes, want %d", c.meminfo, c.group, got, c.want)
		}
	}
	if m := Machine(); runtime.GOOS == "linux" && m < PeakMemory() {
		t.Errorf("a machine of %d bytes, %d of which are in use", m, PeakMemory())
	}
}
