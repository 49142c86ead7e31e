# What other packages add where they are installed: tables, pictures, bars of progress.
import matplotlib
import pandas
import pytest

import dpverify

matplotlib.use("Agg")


def test_plot():
    axes = dpverify.plot({"σ = 1": "gaussian(1)", "σ = 2": "gaussian(2)"}, stop=3, points=7)
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["σ = 1", "σ = 2"] and len(axes.lines) == 2
    upper = axes.lines[0].get_ydata()
    assert upper[0] == pytest.approx(0.3829249, abs=1e-4) and all(a > b for a, b in zip(upper, upper[1:]))
    assert dpverify.plot("gaussian(1)", ax=axes, points=3) is axes


def test_table():
    frame = pandas.DataFrame(dpverify.curve("gaussian(1)", [0, 1, 2]))
    assert (
        list(frame.columns) == ["at", "lo", "hi", "complete"] and frame.complete.all() and (frame.lo <= frame.hi).all()
    )


def test_progress(capsys):
    dpverify.curve("gaussian(1)", range(5), progress=True)
    assert "5/5" in capsys.readouterr().err
