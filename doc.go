// Package dpverify holds no code, but the claims that others published. The module
// certifies differential-privacy accounting: cmd/verify is its command, package exact
// its engine, and deps_test.go, beside this file, says which package may import which.
package dpverify
