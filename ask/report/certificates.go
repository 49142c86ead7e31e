// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package report

import (
	"path/filepath"

	"dpverify/certify"
	"dpverify/certify/certificate"
	"dpverify/internal/atomicfile"
)

// WriteCertificates writes into a directory a file for every outcome that has a certificate. Without
// a directory it writes nothing.
func WriteCertificates(dir string, outcomes []*certify.Outcome) error {
	if dir == "" {
		return nil
	}
	for _, out := range outcomes {
		cert, ok := certificate.New(out)
		if !ok {
			continue
		}
		data, err := cert.JSON()
		if err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(dir, cert.FileName()), data); err != nil {
			return err
		}
	}
	return nil
}
