// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

// Beam decides the claims of many files on many workers: an Apache Beam pipeline around the
// library of dpverify.
//
//	go run . --output results claims/*.yaml
//	verify merge --claims claims/a.yaml … results/*.json
//
// It runs on Prism, in this process, and with the flags of Beam on Flink or Dataflow: README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/metrics"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

func main() {
	var j Job
	flag.StringVar(&j.Output, "output", "results", "the directory for results, on storage that all workers see")
	flag.IntVar(&j.Shards, "shards", 16, "how many files of results there are")
	flag.DurationVar(&j.Budget, "budget", time.Minute, "time for one claim; what is not decided by then is UNDECIDED")
	flag.Parse()
	beam.Init()
	log.SetFlags(0)
	j.Files = flag.Args()
	if err := j.run(context.Background()); err != nil {
		log.Fatal("beam: ", err)
	}
}

// run runs the pipeline and prints its counters.
func (j Job) run(ctx context.Context) error {
	if len(j.Files) == 0 {
		return errors.New("no claims file, want at least one")
	}
	if j.Shards < 1 {
		return fmt.Errorf("--shards = %d, want an integer >= 1", j.Shards)
	}
	if err := os.MkdirAll(j.Output, 0o777); err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	j.Build(s)
	r, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return err
	}
	q := r.Metrics().Query(func(m metrics.SingleResult) bool { return m.Namespace() == namespace })
	for _, c := range q.Counters() {
		if _, err := fmt.Printf("%-12s %d\n", c.Name(), c.Result()); err != nil {
			return err
		}
	}
	return nil
}
