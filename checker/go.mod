module dpverify.dev/checker

go 1.26.0
