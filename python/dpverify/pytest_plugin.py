"""The pytest plugin: one sub-test for each test vector, and a summary by flag."""

from collections import Counter
from typing import Any, Dict

from ._vectors import Vector, load_vectors


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("dpverify")
    group.addoption(
        "--dpverify-vectors", metavar="ROOT", default=None, help="the folder of test vectors (default: the package's)"
    )
    group.addoption(
        "--dpverify-flag",
        metavar="FLAG",
        action="append",
        default=[],
        help="only test vectors with this flag; may be given again",
    )


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", "dpverify_vectors(*files, **select): run for each test vector of some files")
    config.pluginmanager.register(_Summary(), "dpverify-summary")


def pytest_generate_tests(metafunc: Any) -> None:
    mark = metafunc.definition.get_closest_marker("dpverify_vectors")
    if mark is None:
        return
    select: Dict[str, Any] = dict(mark.kwargs)
    select.setdefault("root", metafunc.config.getoption("--dpverify-vectors"))
    flags = set(metafunc.config.getoption("--dpverify-flag"))
    found = [v for v in load_vectors(*mark.args, **select) if not flags or flags & set(v.flags)]
    metafunc.parametrize("vector", found, ids=["%s-%s" % (v.file[: -len(".json")], v.tc_id) for v in found])


class _Summary:
    """Counts tests by the flags of their vectors."""

    def __init__(self) -> None:
        self.ran: "Counter[str]" = Counter()
        self.failed: "Counter[str]" = Counter()

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        vector = getattr(getattr(item, "callspec", None), "params", {}).get("vector")
        if call.when != "call" or not isinstance(vector, Vector):
            return
        if call.excinfo is not None and call.excinfo.typename in ("Skipped", "XFailed"):
            return
        for flag in vector.flags or ("no flag",):
            self.ran[flag] += 1
            self.failed[flag] += call.excinfo is not None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not any(self.failed.values()):
            return
        terminalreporter.section("dpverify: failures by flag")
        for flag, failed in sorted(self.failed.items(), key=lambda x: (-x[1], x[0])):
            if failed:
                terminalreporter.line("%-20s %4d of %d" % (flag, failed, self.ran[flag]))
