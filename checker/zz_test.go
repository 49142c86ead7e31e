package main

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	f, _ := os.Open("/tmp/h/ck/corpus.jsonl")
	o, _ := os.Create("/tmp/h/ck/out.jsonl")
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var text string
		json.Unmarshal(sc.Bytes(), &text)
		got, err := read(text)
		var b []byte
		if err != nil {
			b, _ = json.Marshal(map[string]string{"err": err.Error()})
		} else {
			b = []byte(got)
		}
		o.Write(append(b, '\n'))
	}
	o.Close()
}
