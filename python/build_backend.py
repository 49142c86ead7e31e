"""What pip calls to build the wheel from a clone: tools/release does, which needs Go and nothing else."""

import os
import shutil
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel of this platform and returns its name."""
    if not os.path.isfile(os.path.join(ROOT, "go.mod")):
        raise RuntimeError("%s has no go.mod: want the folder python of a clone" % ROOT)
    if shutil.which("go") is None:
        raise RuntimeError("no go on PATH: the wheel is built with Go 1.26; a wheel that is built needs none")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["go", "run", "./tools/release", "-only", "wheels", "-here", "-o", folder], cwd=ROOT, check=True)
        (name,) = [f for f in os.listdir(folder) if f.endswith(".whl")]
        shutil.copy(os.path.join(folder, name), wheel_directory)
    return name


def build_sdist(sdist_directory, config_settings=None):
    """Refuses: the program is built from the whole clone."""
    raise RuntimeError("there is no source distribution: want `pip install ./python` in a clone, or a wheel")
