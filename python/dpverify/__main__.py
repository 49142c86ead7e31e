"""`python -m dpverify` and `dpverify`: the program itself."""

import os
import subprocess
import sys

from ._client import BinaryNotFoundError, binary


def main() -> int:
    try:
        program = binary()
    except BinaryNotFoundError as e:
        print("dpverify: %s" % e, file=sys.stderr)
        return 2
    if os.name == "nt":
        return subprocess.run([program, *sys.argv[1:]]).returncode
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
