// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// watch ends the process if its group uses too much memory, and lets the kernel
// choose it rather than the audit when all memory is used up.
func (p *process) watch() {
	pid := strconv.Itoa(p.cmd.Process.Pid)
	_ = os.WriteFile(filepath.Join("/proc", pid, "oom_score_adj"), []byte("1000"), 0)
	if p.memory <= 0 {
		return
	}
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-p.stop:
			return
		case <-p.done:
			return
		case <-tick.C:
		}
		used := resident(pid)
		if n%8 == 0 {
			used = residentGroup(pid)
		}
		if used > p.memory {
			p.greedy.Store(true)
			killGroup(p.cmd)
			return
		}
	}
}

// resident returns the bytes of memory that a process uses, 0 if it is not there.
func resident(pid string) int64 {
	data, err := os.ReadFile(filepath.Join("/proc", pid, "statm"))
	fields := bytes.Fields(data)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	return pages * int64(os.Getpagesize())
}

// residentGroup returns the bytes of memory that a process group uses.
func residentGroup(pgid string) int64 {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	total := int64(0)
	for _, s := range stats {
		data, err := os.ReadFile(s)
		if err != nil {
			continue
		}
		// pid (name) state ppid pgrp …: the name may hold anything.
		fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
		if len(fields) > 2 && string(fields[2]) == pgid {
			total += resident(filepath.Base(filepath.Dir(s)))
		}
	}
	return total
}
