# SPDX-License-Identifier: Apache-2.0
"""Functions of the package, held to the command; interruption, fork, and single-cell objects."""
import contextlib
import doctest
import importlib
import inspect
import json
import multiprocessing
import os
import re
import signal
import subprocess
import threading
import warnings

import anndata
import numpy as np
import pandas as pd
import pytest
from conftest import METHOD, made

import onefold
from onefold import OneFold, _estimator

HERE = os.path.dirname(os.path.abspath(__file__))


def fit_in_child(queue):
    views, truth = made()
    queue.put(onefold.score(OneFold(3, method=METHOD, n_jobs=2).fit(views).labels_, truth)["acc"])


def test_fit_in_a_forked_child_after_a_fit():
    views, _ = made()
    OneFold(3, method=METHOD, n_jobs=2).fit(views)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=fit_in_child, args=(queue,))
    child.start()
    child.join(300)
    alive = child.is_alive()
    if alive:
        child.kill()
    assert not alive and queue.get(timeout=300) == 1


@pytest.fixture
def interrupts():
    """Python's own handler: where tests run in the background of a shell, SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_ends_a_fit_and_the_interpreter_goes_on(interrupts, monkeypatch):
    """Hours of work; the signal is sent once it iterates, and only what was under way is told after that."""
    begun, sent, late = threading.Event(), threading.Event(), []

    @contextlib.contextmanager
    def listen(_):
        yield lambda stage, done, total, detail: (stage == "fit" and begun.set(), sent.is_set() and late.append(done))

    def press():
        begun.wait()
        os.kill(os.getpid(), signal.SIGINT)
        sent.set()
    monkeypatch.setattr(_estimator, "progress_bar", listen)
    generator = np.random.default_rng(0)
    views = [generator.normal(size=(3000, 40)) for _ in range(3)]
    threading.Thread(target=press, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        OneFold(40, method=METHOD, base="exact", n_init=1000, max_iter=100000, tol=1e-300).fit(views)
    assert begun.is_set() and len(late) <= 2
    monkeypatch.undo()
    small, truth = made()
    assert onefold.score(OneFold(3, method=METHOD).fit(small).labels_, truth)["acc"] == 1


def test_progress_is_told_and_its_errors_are_raised(data, capsys):
    OneFold(3, method=METHOD, verbose=1).fit(data[0])
    assert capsys.readouterr().err
    from onefold import _onefold
    from onefold._inputs import views_of

    def fail(*_):
        raise ZeroDivisionError("from the hook")
    with pytest.raises(ZeroDivisionError, match="from the hook"):
        _onefold.fit(views_of(data[0]).dataset(), {"clusters": 3}, 1, fail)


def test_read():
    data = onefold.read(onefold.datasets.digits_path())
    assert data.samples == 1797 and len(data.views) == 4 and len(data.classes) == 10
    labels = OneFold(10, method=METHOD, random_state=0).fit(data).labels_
    digits = onefold.datasets.load_digits()
    assert (digits.target == data.truth).all()
    assert (labels == OneFold(10, method=METHOD, random_state=0).fit(digits.views).labels_).all()
    with pytest.raises(OSError):
        onefold.read("no-such-file.mat")
    with pytest.raises(ValueError):
        onefold.read(__file__)


def tables(folder):
    """A table with an id, codes, a category and a note; and views of a fit to it."""
    lines = ["arm,who,x,colour,zip"]
    lines += [f"{i % 2 + 1},p{i},{i % 3 * 5 + i / 40},{'red blue green'.split()[i % 3]},{1000 + i * 7}"
              for i in range(30)]
    path = folder / "t.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def names_of(data):
    return [[v["name"], *v["names"]] for v in data.views]


def test_read_takes_what_the_command_takes(tmp_path):
    path = tables(tmp_path)
    with pytest.warns(UserWarning, match="categories, each as 0 and 1"):
        plain = onefold.read(path, ids="who")
    assert names_of(plain) == [["t", "arm", "x", "colour=blue", "colour=green", "colour=red", "zip"]]
    assert plain.sample_names[3] == "p3" and plain.views[0]["units"] == [0, 2, 3, 3, 3, 4]
    with pytest.warns(UserWarning):
        data = onefold.read(path, ids=2, drop=["zip", 3], as_category="arm")
    assert names_of(data) == [["t", "arm=1", "arm=2", "colour=blue", "colour=green", "colour=red"]]
    data = onefold.read(path, columns=("x", "zip"), ids="who")
    assert names_of(data) == [["t", "x", "zip"]]
    with pytest.raises(ValueError, match='column "colour" holds "red", which is not a number') as said:
        onefold.read(path, as_number="colour")
    named = re.findall(r"`(\w+)`", str(said.value))  # what to do is said with the names of arguments
    assert "as_category" in named and set(named) <= set(inspect.signature(onefold.read).parameters)
    with pytest.raises(ValueError, match="'a,b' has a comma in its name"):
        onefold.read(path, drop=["a,b"])
    with pytest.raises(ValueError, match="match must be one of ids, order"):
        onefold.read(path, match="place")
    turned = tmp_path / "u.csv"
    turned.write_text("who,w\n" + "".join(f"p{i},{i % 3}\n" for i in reversed(range(30))))
    with pytest.warns(UserWarning, match="samples are matched by id"):
        assert onefold.read([path, turned], columns="x,w").array(1)[4, 0] == 1
    with pytest.warns(UserWarning, match="column who is taken for the ids"):
        assert onefold.read([path, turned], columns="x,w", match="order").array(1)[4, 0] == 25 % 3
    (tmp_path / "h.csv").write_text("1,2,3\n4,5,6\n7,8,10\n")
    assert onefold.read(tmp_path / "h.csv", header=True).samples == 2


def test_new_samples_of_files_are_read_for_their_model(tmp_path):
    path = tables(tmp_path)
    with pytest.warns(UserWarning, match="categories"):
        data = onefold.read(path, ids="who", drop="zip")
    model = OneFold(3, method=METHOD).fit(data)
    model.save(tmp_path / "m.model")
    few = tmp_path / "t2.csv"
    few.write_text("who,colour,x,arm\nn1,red,0.1,1\nn2,pink,5.2,2\n")
    for fitted in (model, tmp_path / "m.model"):
        with pytest.warns(UserWarning, match='column colour has 1 word that the model does not know, '
                                             'such as "pink"'):
            new = onefold.read(few, model=fitted)
        assert names_of(new)[0][1:] == ["colour=blue", "colour=green", "colour=red", "x", "arm"]
        labels = OneFold.load(tmp_path / "m.model").predict(new)
        assert labels[0] == model.labels_[0] and (labels == model.predict(new)).all()


@pytest.mark.parametrize("method", onefold.methods())
def test_labels_are_those_of_the_command(method, data, tmp_path, onefold_command):
    views, _ = data
    paths = [tmp_path / f"v{i}.npy" for i in range(2)]
    for path, view in zip(paths, views):
        np.save(path, view)
    printed = onefold_command("fit", *paths, "--clusters", 3, "--method", method, "--seed", 5)
    model = OneFold(3, method=method, random_state=5).fit(views)
    assert (np.array(printed.split(), int) == model.labels_).all()


def test_model_files_are_those_of_the_command(data, tmp_path, onefold_command):
    views, _ = data
    paths = [tmp_path / f"v{i}.npy" for i in range(2)]
    for path, view in zip(paths, views):
        np.save(path, view)
    model = OneFold(3, method=METHOD).fit(views)
    model.save(tmp_path / "m.model")
    printed = onefold_command("predict", tmp_path / "m.model", *paths)
    assert (np.array(printed.split(), int) == model.labels_).all()
    again = OneFold.load(tmp_path / "m.model")
    assert (again.predict(views) == model.labels_).all()
    (tmp_path / "bad.model").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError):
        OneFold.load(tmp_path / "bad.model")


def test_choose():
    views, _ = made(240, 4, seed=1)
    choice = onefold.choose(views, 2, 7)
    assert choice.suggested == 4 and choice.reasons
    assert list(choice.frame()["clusters"]) == [2, 3, 4, 5, 6, 7]
    fit = OneFold(4).fit(views)
    chosen = next(c for c in fit.candidates_ if c["chosen"])
    point = choice.frame().set_index("clusters").loc[4]  # judged by what a fit of 4 says itself
    assert point["agreement"] == chosen["agreement"] and 0 < point["chance"] < point["told"]
    assert abs(point["told"] - chosen["told"] / chosen["entropy"]) < 1e-12


def test_bench(data):
    views, truth = data
    table = onefold.bench(views, truth, methods=["avg-kkm", "mkkm"], repeats=2)
    assert sorted(table["method"]) == ["avg-kkm", "mkkm"] and (table["acc"] > 0.9).all()
    with pytest.raises(ValueError, match="give y"):
        onefold.bench(views, methods="avg-kkm")
    with pytest.raises(ValueError, match="kmeans_start"):
        onefold.bench(views, truth, kmeans_start="random")
    with pytest.raises(ValueError, match="sensitivity"):
        onefold.plot_sensitivity(table)


def test_bench_has_what_the_command_has(data, tmp_path):
    views, truth = data
    views = [v + 3 * np.random.default_rng(0).normal(size=v.shape) for v in views]
    path = tmp_path / "set.npz"
    np.savez(path, view1=views[0], view2=views[1], Y=truth)
    asked = {"methods": ["os-lfmvc-cs", "sb-kkm", "mkkm"], "repeats": 3}
    table = onefold.bench(views, truth, sensitivity=[1, 2], kmeans_start="samples", **asked)
    made = json.loads(subprocess.run(
        [os.environ.get("ONEFOLD_COMMAND", "onefold"), "bench", path, "--methods",
         ",".join(asked["methods"]), "--repeats", "3", "--sensitivity", "1,2", "--kmeans-start",
         "samples", "--json", "-q"],
        capture_output=True, check=True, text=True).stdout)
    assert len(table) == len(made["cells"])
    for cell in made["cells"]:
        row = table[(table["method"] == cell["method"]) & (table["setting"] == cell["setting"])]
        assert row["acc"].item() == pytest.approx(np.mean(cell["scores"]["acc"]))
        assert row["nmi_deviation"].item() == pytest.approx(np.std(cell["scores"]["nmi"], ddof=1))
    for method in made["methods"]:
        own = table[table["method"] == method["name"]]
        assert own["default"].sum() == 1
        assert own["best"].sum() == own["median"].sum() == (method["best"] is not None)
        if method["best"]:
            assert own[own["best"]]["acc"].item() == pytest.approx(method["best"]["acc"]["mean"])
    assert table["acc"].is_monotonic_decreasing
    total = table[["seconds_base", "seconds_fit", "seconds_kmeans"]].sum(axis=1)
    assert np.allclose(total, table["seconds"])
    for values in onefold.bench(views, truth, long=True, **asked).groupby(
            ["method", "setting", "measure"])["value"]:
        assert len(values[1]) == 3


def test_bench_of_several_sets_draws_its_figures(data, tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    views, truth = data
    np.savez(tmp_path / "other.npz", a=views[0], b=views[1], Y=truth)
    table = onefold.bench({"one": (views, truth), "two": onefold.read(tmp_path / "other.npz")},
                          methods=["os-lfmvc-cs", "avg-kkm"], repeats=2)
    assert list(table["set"].unique()) == ["one", "two"]
    assert (table["acc"] > 0.9).all()
    assert len(onefold.plot_scores(table).patches) == 4
    assert len(onefold.plot_scores(table, "nmi", which="best").patches) == 2
    assert len(onefold.plot_times(table).patches) == 12
    lines = onefold.plot_convergence(table).lines
    assert [len(line.get_ydata()) for line in lines] == [
        len(trace) for trace in table[table["default"] & (table["method"] == "os-lfmvc-cs")]["trace"]]
    assert len(onefold.plot_sensitivity(table[table["set"] == "one"]).texts) == 9


def test_explain(data):
    views, truth = data
    frames = [pd.DataFrame(v, columns=[f"v{i}c{j}" for j in range(v.shape[1])])
              for i, v in enumerate(views)]
    frames[0]["tell"] = (truth == 1) * 10.0 + np.random.default_rng(0).normal(size=150)
    model = OneFold(3, method=METHOD).fit(frames)
    cluster = model.labels_[truth == 1][0]
    name, strength = onefold.explain(model, 2)[cluster]["view 1"][0]
    assert name == "tell" and strength > 0.9


def test_explanations_and_choices_print_as_tables(data):
    views, truth = data
    frames = {"<a>": pd.DataFrame(views[0]).add_prefix("x"), "b": pd.DataFrame(views[1])}
    model = OneFold(3, method=METHOD).fit(frames)
    found = onefold.explain(model, 2)
    lines = repr(found).splitlines()
    assert lines[0].split() == ["cluster", "view", "column", "strength"] and len(lines) == 1 + 3 * 4
    cluster, view, column, strength = lines[1].split()
    assert (column, f"{found[int(cluster)][view][0][1]:.3f}") == (found[0]["<a>"][0][0], strength)
    assert "&lt;a&gt;" in found._repr_html_() and "<a>" not in found._repr_html_()
    assert list(found.frame().columns) == ["cluster", "view", "column", "strength"]
    assert "fit with DataFrames" in repr(onefold.explain(OneFold(3, method=METHOD).fit(views)))
    choice = onefold.choose(views, 2, 5)
    lines = repr(choice).splitlines()
    assert lines[0] == "3 clusters are suggested"
    assert lines[-5].split() == ["clusters", "agreement", "entropy", "told", "chance", "evidence"]
    assert [line.split()[0] for line in lines[-4:]] == ["2", "3", "4", "5"]
    assert choice._repr_html_().count("<tr>") == 5


def test_noise_is_said_to_be_noise():
    noise = np.random.default_rng(3).normal(size=(200, 10))
    with pytest.warns(onefold.NothingFoundWarning, match="nothing was found"):
        model = OneFold(3, random_state=0).fit(noise)
    assert model.finding_["verdict"] == "no more than chance" and len(model.stability_) == 3
    choice = onefold.choose(noise, 2, 5)
    assert choice.suggested == 0 and repr(choice).startswith("nothing was found")
    assert choice.finding["verdict"] == "no more than chance"


def test_clusters_are_found_and_join_a_table(data):
    views, _ = data
    names = [f"s{i}" for i in range(len(views[0]))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = OneFold(3, random_state=0).fit([pd.DataFrame(v, index=names) for v in views])
    assert model.finding_["verdict"] == "more than chance"
    own = pd.DataFrame({"age": range(len(names) + 1)}, index=["none", *names[::-1]])
    joined = model.to_frame(own)
    assert list(joined.columns) == ["age", "cluster", "confidence", "stability"]
    assert joined.loc[names, "cluster"].tolist() == model.labels_.tolist()
    assert np.isnan(joined.loc["none", "cluster"]) and len(joined) == len(own)
    with pytest.raises(ValueError, match="no sample is in the index"):
        model.to_frame(own.reset_index(drop=True))


def test_methods_are_names():
    assert "onefold" in onefold.methods() and METHOD in onefold.methods()
    details = onefold.methods(details=True)
    assert [m["name"] for m in details] == onefold.methods() and all(m["title"] for m in details)


def test_what_was_chosen(data):
    model = OneFold(3, random_state=0).fit(data[0])
    chosen = [c for c in model.candidates_ if c["chosen"]]
    assert len(chosen) == 1 and chosen[0]["eligible"] and chosen[0]["name"]
    most = max(c["score"] for c in model.candidates_)
    assert chosen[0] == next(c for c in model.candidates_ if c["score"] >= 0.95 * most)  # in order of time
    assert all(c["told"] >= 0 and 0 <= c["agreement"] <= 1 for c in model.candidates_)
    name = chosen[0]["name"].rsplit(", ", 1)[0]  # what it was read off; then how views were weighed
    said = f"best of {len(model.candidates_)} labellings: {name}"
    assert model.chosen_.startswith(said) and model.chosen_ in model._repr_html_()
    other = OneFold(3, method=METHOD).fit(data[0])
    assert other.chosen_ is None and other.candidates_ == []


def test_everything_public_has_type_hints():
    import inspect
    import typing
    assert os.path.exists(os.path.join(os.path.dirname(onefold.__file__), "py.typed"))

    def members(place):
        for name in getattr(place, "__all__", None) or dir(place):
            value = getattr(place, name)
            if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith("onefold"):
                yield name, value
    bare = []
    for place in (onefold, onefold.pl, onefold.tl, onefold.datasets, OneFold, onefold.Choice,
                  onefold.Dataset, onefold.Samples, onefold.Explanation):
        for name, value in members(place):
            if not inspect.isfunction(value) and not inspect.ismethod(value):
                continue
            hints = typing.get_type_hints(value)
            wanted = [p for p in inspect.signature(value).parameters if p not in ("self", "cls")]
            bare += [f"{name}({p})" for p in wanted + ["return"] if p not in hints]
    assert not bare


def test_score():
    found = onefold.score(["a", "a", "b"], [1, 1, 2])
    assert found["acc"] == found["nmi"] == found["ari"] == 1
    with pytest.raises(ValueError):
        onefold.score([0, 1], [0, 1, 2])


def test_anndata_tool(data):
    views, truth = data
    adata = anndata.AnnData(views[0], dtype=views[0].dtype)
    adata.obsm["X_pca"] = views[1]
    onefold.tl.cluster(adata, 3, use_rep=["X", "X_pca"], method=METHOD)
    assert onefold.score(adata.obs["onefold"], truth)["acc"] == 1
    assert adata.obsm["X_onefold"].shape[0] == 150 and "view_weights" in adata.uns["onefold"]
    with pytest.raises(KeyError):
        onefold.tl.cluster(adata, 3, use_rep=["X_none"])


def test_pictures(data):
    import matplotlib
    matplotlib.use("Agg")
    model = OneFold(3, method=METHOD).fit(data[0])
    assert len(onefold.pl.views(model).patches) == 4
    axes = onefold.pl.scatter(model)
    assert len(axes.collections[0].get_offsets()) == 150
    assert axes.get_xlabel().startswith("first component")


def apart(colours):
    """The least distance of two colours in CIELAB."""
    from matplotlib.colors import to_rgb
    rgb = np.array([to_rgb(c) for c in colours])
    rgb = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = rgb @ np.array([[0.4124, 0.2126, 0.0193], [0.3576, 0.7152, 0.1192],
                          [0.1805, 0.0722, 0.9505]]) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116).T
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], 1)
    distance = np.linalg.norm(lab[:, None] - lab, axis=2)
    return distance[~np.eye(len(lab), dtype=bool)].min()


def test_clusters_can_be_told_apart(data):
    import matplotlib
    matplotlib.use("Agg")
    assert apart(onefold.pl.COLOURS) > 25 and len(onefold.pl.COLOURS) == 20
    axes = onefold.pl.scatter(OneFold(3, method=METHOD).fit(data[0]))
    legend = axes.get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["0", "1", "2"]
    keys = [line.get_color() for line in legend.get_lines()]
    assert apart(keys) > 25 and len(set(map(tuple, axes.collections[0].get_facecolors()))) == 3
    many = onefold.pl.scatter(OneFold(25, method="avg-kkm", n_init=1).fit(data[0]), colours=onefold.pl.COLOURS)
    looks = {(line.get_color(), line.get_marker()) for line in many.get_legend().get_lines()}
    assert len(looks) == len(many.get_legend().get_texts()) > 20 and len(many.collections) == 2
    assert onefold.pl.scatter(OneFold(3, method=METHOD).fit(data[0]), legend=False).get_legend() is None


def test_pictures_of_many_clusters_are_laid_out(data, tmp_path):
    import subprocess
    import matplotlib
    matplotlib.use("Agg")
    views = [view.copy() for view in data[0]]
    model = OneFold(6, method=METHOD, random_state=0).fit(views)
    axes = onefold.pl.scatter(model)
    assert axes.get_xlabel().startswith("t-SNE")
    drawn = np.asarray(axes.collections[0].get_offsets())
    np.savez(tmp_path / "views.npz", *views)  # the layout of the command, on the same samples
    subprocess.run([os.environ["ONEFOLD_COMMAND"], "fit", tmp_path / "views.npz", "--clusters", "6", "--method", METHOD,
                    "--layout", tmp_path / "at.npy", "--labels", tmp_path / "l.txt", "-q"], check=True)
    assert np.array_equal(np.load(tmp_path / "at.npy"), drawn)
    with pytest.raises(ValueError, match="labels are others"):
        onefold.pl.scatter(OneFold(6, method=METHOD).fit(views), X=[np.roll(v, 25, axis=0) for v in views])
    del views, model.view_parts_
    assert np.array_equal(onefold.pl.scatter(model).collections[0].get_offsets(), drawn)  # kept
    gone = OneFold(6, method=METHOD).fit([view.copy() for view in data[0]])
    assert onefold.pl.scatter(gone).get_xlabel().startswith("first component")


def test_many_threads_at_once(data):
    views, _ = data
    expected = OneFold(3, method=METHOD, n_jobs=1).fit(views).labels_
    found = []
    threads = [threading.Thread(target=lambda: found.append(
        OneFold(3, method=METHOD, n_jobs=1).fit(views).labels_)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((labels == expected).all() for labels in found)


@pytest.mark.parametrize("name", ["onefold", "onefold._functions", "onefold._inputs",
                                  "onefold.datasets"])
def test_doctests(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_document():
    path = os.path.join(HERE, "..", "..", "..", "docs", "python.md")
    failed, tried = doctest.testfile(path, module_relative=False,
                                     optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried > 10 and failed == 0
