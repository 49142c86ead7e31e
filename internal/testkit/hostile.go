// Copyright 2026 The dpverify authors. Licensed under the Apache License, Version 2.0: see LICENSE.

package testkit

// Hostile are texts that must not act wherever they end up.
var Hostile = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`a]]>b`,
	"line\nbreak\r::error::injected",
	"bell\a escape\x1b[31m nul\x00",
	"\u202Eright to left",
	`{{.}} &amp; ' % , :`,
	"\xff\xfe not utf-8",
}
