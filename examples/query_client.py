"""Asks verify many questions through one process. Run: python3 examples/query_client.py"""
import json
import subprocess


class Verifier:
    def __init__(self, command=("verify", "query")):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")

    def ask(self, event, quantity, at=None, **options):
        """Returns (lo, hi) as strings; they are exact decimals, rounded outward."""
        question = {"event": event, "quantity": quantity, **options} | ({} if at is None else {"at": at})
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer["lo"], answer["hi"]


if __name__ == "__main__":
    verify = Verifier()
    for sigma in ("0.5", "1", "2"):
        gaussian = {"class_name": "GaussianDpEvent", "noise_multiplier": sigma}
        print(sigma, *verify.ask(gaussian, "epsilon", "1e-5", digits=8))
