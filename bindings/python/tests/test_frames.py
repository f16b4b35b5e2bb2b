# SPDX-License-Identifier: Apache-2.0
"""DataFrames are read as their makers mean them: samples by index, views by key, columns by name."""
import datetime
import decimal
import fractions
import itertools
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from conftest import METHOD, made

import onefold
from onefold import OneFold


@pytest.fixture(autouse=True)
def warnings_are_errors():
    """What is said is asked for by each test."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def frames(samples=150, index=None, seed=0):
    views, truth = made(samples, seed=seed)
    return {name: pd.DataFrame(v, index=index, columns=[f"{name}{j}" for j in range(v.shape[1])])
            for name, v in zip("ab", views)}, truth


def fit(X, **options):
    return OneFold(3, **{"method": METHOD, "random_state": 1, **options}).fit(X)


def by_name(model):
    names = model.sample_names_ or range(len(model.labels_))
    return pd.Series(model.labels_, index=list(names))


# ---- samples by index ----------------------------------------------------------------------------

PAIRS = {
    "a view is shuffled": lambda a, b: (a, b.sample(frac=1, random_state=1)),
    "the first is shuffled": lambda a, b: (a.sample(frac=1, random_state=1), b),
    "both are": lambda a, b: (a.sample(frac=1, random_state=1), b.sample(frac=1, random_state=2)),
    "sorted by a column": lambda a, b: (a, b.sort_values("b0")),
    "the head of one and the tail of the other": lambda a, b: (a.iloc[25:], b.iloc[:125]),
    "the tail of one": lambda a, b: (a, b.iloc[30:]),
    "every other": lambda a, b: (a, b.iloc[::2]),
}


def test_an_index_may_have_levels():
    views, truth = frames(index=pd.MultiIndex.from_arrays([np.arange(150) // 10, np.arange(150)]))
    model = fit({"a": views["a"], "b": views["b"].iloc[::-1]})
    assert model.sample_names_[11] == (1, 11) and onefold.score(model.labels_, truth)["acc"] == 1



@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("named", [False, True], ids=["numbers", "names"])
def test_samples_are_matched_by_index(name, named):
    index = [f"s{i}" for i in range(150)] if named else None
    views, truth = frames(index=index)
    truth = pd.Series(truth, index=views["a"].index)
    a, b = PAIRS[name](views["a"], views["b"])
    model = fit({"a": a, "b": b})
    assert sorted(model.sample_names_) == sorted(truth.index)
    assert onefold.score(by_name(model), truth)["acc"] == 1
    same = fit({"a": a.set_axis([f"x{i}" for i in a.index]), "b": b.set_axis([f"x{i}" for i in b.index])})
    assert (same.labels_ == model.labels_).all()
    assert (model.predict({"a": a, "b": b}) == model.labels_).all()


def test_an_index_that_counts_is_no_name():
    views, _ = frames()
    model = fit(views)
    assert model.sample_names_ is None
    assert (fit({"a": views["a"], "b": views["b"].set_axis(list(range(150)))}).labels_
            == model.labels_).all()
    assert (fit([v.to_numpy() for v in views.values()]).labels_ == model.labels_).all()


def test_what_cannot_be_matched_is_refused():
    views, _ = frames()
    named = views["b"].set_axis([f"s{i}" for i in range(150)])
    with pytest.raises(ValueError, match="view a has the index 0 to 149, which nobody gave it, and b holds 's0'"):
        fit({"a": views["a"], "b": named})
    with pytest.raises(ValueError, match="the index 0 to 149"):  # each would get its neighbour
        fit({"a": views["a"], "b": views["b"].set_axis(range(1, 151))})
    with pytest.raises(ValueError, match="different numbers of samples"):
        fit({"a": views["a"], "b": views["b"].iloc[:100]})
    with pytest.raises(ValueError, match="hardly a sample in common"):
        fit({"a": named.iloc[:80], "b": named.iloc[75:]})
    with pytest.raises(ValueError, match="kinds integer and string"):
        fit({"a": views["a"].set_axis(range(100, 250)),
             "b": views["b"].set_axis([str(i) for i in range(100, 250)])})
    gap = views["b"].set_axis([np.nan if i == 7 else float(i) for i in range(150)])
    with pytest.raises(ValueError, match="index of the view b has a missing value: sample 7"):
        fit({"a": gap.set_axis(np.arange(150) + 0.5), "b": gap})
    with pytest.raises(ValueError, match="view b has no index, and the others are matched"):
        fit({"a": named, "c": named.iloc[::-1], "b": views["b"].to_numpy()})
    with pytest.raises(ValueError, match="view b has no index, and the others are matched"):
        fit({"a": views["a"].sample(frac=1, random_state=0), "b": views["b"].to_numpy()})


def test_arrays_beside_names_are_taken_by_order_and_that_is_said():
    views, _ = frames()
    names = [f"s{i}" for i in range(150)]
    with pytest.warns(UserWarning, match="view b has no index: its samples are taken in the order of those of a"):
        model = fit({"a": views["a"].set_axis(names), "b": views["b"].to_numpy()})
    assert model.sample_names_ == names and (model.labels_ == fit(views).labels_).all()


def test_kernels_are_matched_by_index():
    views, truth = frames(index=[f"s{i}" for i in range(150)])
    kernels = {k: pd.DataFrame(v.to_numpy() @ v.to_numpy().T, v.index, v.index) for k, v in views.items()}
    model = fit(kernels, kernel="precomputed")
    order = np.random.default_rng(0).permutation(150)
    kernels["b"] = kernels["b"].iloc[order, order]
    assert (fit(kernels, kernel="precomputed").labels_ == model.labels_).all()
    assert onefold.score(model.labels_, truth)["acc"] == 1


# ---- any order gives the same --------------------------------------------------------------------


@pytest.mark.parametrize("method", [METHOD, "onefold"])
def test_any_order_of_rows_views_and_columns_gives_the_same_labels_by_id(method):
    views, truth = frames(index=[f"s{i}" for i in range(150)])
    views["c"] = pd.DataFrame({"x": truth + 0.1 * np.sin(np.arange(150)),
                               "colour": np.array(["red", "green", "blue"])[truth],
                               "smokes": np.arange(150) % 2 == 0}, index=views["a"].index)
    truth = pd.Series(truth, index=views["a"].index)
    expected = by_name(fit(views, method=method))
    assert onefold.score(expected, truth)["acc"] == 1
    generator = np.random.default_rng(5)
    for names in list(itertools.permutations("abc"))[:4]:
        shuffled = {n: views[n].iloc[generator.permutation(150), generator.permutation(views[n].shape[1])]
                    for n in names}
        model = fit(shuffled, method=method)
        assert onefold.score(by_name(model), expected)["ari"] == 1
        new = {n: views[n].iloc[generator.permutation(150)[:100], generator.permutation(views[n].shape[1])]
               for n in reversed(names)}
        assert len(model.predict(new)) >= 100


# ---- views by key --------------------------------------------------------------------------------


def test_predict_takes_views_by_key():
    views, _ = frames()
    model = fit(views)
    turned = {"b": views["b"].iloc[:, ::-1], "a": views["a"]}
    assert (model.predict(turned) == model.labels_).all()
    assert (model.predict(pd.concat(turned, axis=1)) == model.labels_).all()
    arrays = fit({k: v.to_numpy() for k, v in views.items()})
    assert (arrays.predict({"b": views["b"].to_numpy(), "a": views["a"].to_numpy()})
            == arrays.labels_).all()
    with pytest.raises(ValueError, match="X has the view 'c', which the fit had not: its views are a, b"):
        model.predict({"a": views["a"], "c": views["b"]})
    with pytest.raises(ValueError, match="lacks 1 of the columns of the fit: 'b3'"):
        model.predict({"a": views["a"], "b": views["b"].drop(columns="b3")})
    with pytest.warns(UserWarning, match="view b: other was not there in the fit and is passed over"):
        more = model.predict({"a": views["a"], "b": views["b"].assign(other="text")})
    assert (more == model.labels_).all()


@pytest.mark.parametrize("method", [METHOD, "onefold"])
def test_a_view_that_is_absent_is_one_that_samples_lack(method):
    views, _ = frames()
    model = fit(views, method=method)
    with pytest.warns(UserWarning, match="X has no view b: its samples are taken to lack it"):
        labels = model.predict({"a": views["a"]})
    nothing = pd.DataFrame(np.nan, views["b"].index, views["b"].columns)
    assert (labels == model.predict({"a": views["a"], "b": nothing})).all()
    assert onefold.score(labels, model.labels_)["acc"] > 0.9


def test_confidence_of_new_samples():
    views, _ = frames()
    model = fit(views)
    labels, confidence = model.predict(views, return_confidence=True)
    assert (labels == model.labels_).all() and np.allclose(confidence, model.confidence_)


# ---- truth by index ------------------------------------------------------------------------------


def test_truth_is_taken_by_index(tmp_path):
    from test_report import page_of
    views, truth = frames(index=[f"s{i}" for i in range(150)])
    model = fit(views)
    y = pd.Series(truth, index=views["a"].index).sample(frac=1, random_state=3)
    onefold.report(model, tmp_path / "fit.html", y=y)
    assert page_of(tmp_path / "fit.html")[0]["data"]["scores"]["acc"] == 1
    assert model.score(views, y) == 1
    assert onefold.score(by_name(model), y)["acc"] == 1
    more = pd.concat([y, pd.Series([0], index=["other"])])  # samples beyond those of X are passed over
    assert (onefold.bench(views, more, methods=["avg-kkm"], repeats=1)["acc"] == 1).all()
    with pytest.raises(ValueError, match="y has no value for 1 of the samples of X, 's7' among them"):
        onefold.report(model, tmp_path / "no.html", y=y.drop("s7"))
    with pytest.raises(ValueError, match="the index 0 to 149, which nobody gave it"):
        onefold.report(model, tmp_path / "no.html", y=pd.Series(truth))
    with pytest.raises(ValueError, match="y has no label for 1 samples"):
        onefold.report(model, tmp_path / "no.html", y=y.astype(float).where(y.index != "s7"))
    onefold.report(model, tmp_path / "fit.html", y=list(truth))  # a list has no index
    assert page_of(tmp_path / "fit.html")[0]["data"]["scores"]["acc"] == 1


def test_truth_of_frames_that_count_is_taken_by_index():
    views, truth = frames()
    y = pd.Series(truth).sample(frac=1, random_state=3)
    assert fit(views).score(views, y) == 1
    arrays = {k: v.to_numpy() for k, v in views.items()}  # without an index: by order
    assert fit(arrays).score(arrays, pd.Series(truth, index=[f"s{i}" for i in range(150)])) == 1


def test_truth_of_files_is_taken_by_index(tmp_path):
    views, truth = frames(index=[f"s{i}" for i in range(150)])
    for name, view in views.items():
        view.to_csv(tmp_path / f"{name}.csv")
    views["b"].iloc[::-1].to_csv(tmp_path / "b.csv")
    with pytest.warns(UserWarning, match="samples are matched by id: 150") as said:
        data = onefold.read([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert [str(w.message) for w in said] == data.assumptions and set(data.assumptions) <= set(data.notes)
    y = pd.Series(truth, index=data.sample_names).sample(frac=1, random_state=3)
    model = fit(data)
    assert model.score(data, y) == 1
    with pytest.warns(UserWarning, match="samples are matched by id"):
        turned = onefold.read([tmp_path / "b.csv", tmp_path / "a.csv"])
    by_id = pd.Series(model.predict(turned), index=turned.sample_names)
    assert (by_id[data.sample_names] == model.labels_).all()  # views are taken by name


def test_weights_and_kernels_by_view():
    views, _ = frames()
    assert abs(fit(views, weights={"b": None, "a": 0.6}).view_weights_[0] - 0.6) < 1e-9
    assert abs(fit(views, weights=pd.Series({"b": 0.6, "a": None})).view_weights_[1] - 0.6) < 1e-9
    one = fit(views, kernel={"b": "linear", "a": "rbf"})
    assert (one.labels_ == fit(views, kernel=["rbf", "linear"]).labels_).all()
    assert (one.embedding_ == fit(views, kernel=["rbf", "linear"]).embedding_).all()
    with pytest.raises(ValueError, match="weights has 'c', which is none of the views a, b"):
        fit(views, weights={"a": 0.6, "c": None})


# ---- columns -------------------------------------------------------------------------------------


def clinical(samples=150, seed=0):
    """A table as clinics write them, of which three columns tell the clusters."""
    generator = np.random.default_rng(seed)
    truth = np.arange(samples) * 3 // samples
    day = pd.Timestamp("2020-01-01")
    return pd.DataFrame({
        "mrn": [f"MRN{i:05d}" for i in range(samples)],
        "age": generator.integers(30, 80, samples) + 20 * truth,
        "sex": np.array(["m", "f"])[generator.integers(0, 2, samples)],
        "stage": pd.Categorical(np.array(["I", "II", "III"])[truth], categories=["III", "II", "I", "IV"]),
        "smoker": np.array(["yes", "No"])[generator.integers(0, 2, samples)],
        "alive": pd.array(truth == 1, dtype="boolean"),
        "visits": pd.array(generator.integers(0, 9, samples) + 5 * truth, dtype="Int64"),
        "seen": [day + pd.Timedelta(days=int(d)) for d in generator.integers(0, 300, samples)],
        "born": [f"19{i % 90 + 10}-02-0{i % 9 + 1}" for i in range(samples)],
        "notes": [f"{'well' if i % 3 else 'tired'} on day {i // 2}" for i in range(samples)],
        "cost": [f"${1000 * (i % 7) + 50:,}.10" for i in range(samples)],
        "share": [f"{5 * t + i % 5}%" for i, t in enumerate(truth)],
        "nothing": [None] * samples}), truth


WANTED = ["age", "sex=f", "sex=m", "stage=III", "stage=II", "stage=I", "smoker", "alive", "visits",
          "cost", "share"]
LEFT = r"view clinical: left out, as no numbers or categories: mrn \(ids\), seen \(dates\), " \
       r"born \(dates\), notes \(free text\), nothing \(empty\)"


def test_columns_are_what_they_mean():
    from onefold._inputs import views_of
    table, _ = clinical()
    with pytest.warns(UserWarning, match=LEFT):
        view = views_of({"clinical": table}).views[0]
    assert view.column_names == WANTED
    values = pd.DataFrame(view.arrays[0], columns=WANTED)
    assert (values["sex=m"] == (table["sex"] == "m")).all()
    assert (values["smoker"] == (table["smoker"] == "yes")).all()
    assert (values["alive"] == table["alive"].astype(float)).all()
    assert values["cost"][3] == 3050.1 and values["share"][149] == 0.14
    assert (values[["stage=I", "stage=II", "stage=III"]].sum(axis=1) == 1).all()


def test_new_samples_get_the_columns_of_the_fit():
    table, truth = clinical()
    views, _ = frames()
    with pytest.warns(UserWarning, match=LEFT):
        model = fit({"a": views["a"], "clinical": table})
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert model.n_features_per_view_ == [6, 11]
    few = [0, 60, 149]  # of two sexes and three stages some are not there
    new = {"clinical": table.iloc[few, ::-1].drop(columns=["notes", "mrn"]), "a": views["a"].iloc[few]}
    assert (model.predict(new) == model.labels_[few]).all()
    assert (pickle.loads(pickle.dumps(model)).predict(new) == model.labels_[few]).all()
    one = {"clinical": table.iloc[:1], "a": views["a"].iloc[:1]}
    assert model.predict(one)[0] == model.labels_[0]
    other = {**new, "clinical": new["clinical"].assign(sex=["x", "m", "f"])}
    with pytest.warns(UserWarning, match="view clinical, column sex: 'x' was not there in the fit"):
        model.predict(other)
    with pytest.raises(ValueError, match="view clinical, column age: 'old' is not a number"):
        model.predict({**new, "clinical": new["clinical"].assign(age="old")})
    with pytest.raises(ValueError, match="view clinical has categories: new samples are a DataFrame"):
        model.predict({**new, "clinical": np.ones((3, 11))})
    with pytest.warns(UserWarning, match="X has no view clinical"):
        assert (model.predict({"a": views["a"].iloc[few]}) == model.labels_[few]).all()


def test_a_loaded_model_takes_frames_as_the_fitted_one(tmp_path):
    table, _ = clinical()
    table = table.drop(columns=["mrn", "seen", "born", "notes", "nothing"]).rename(
        columns={"sex": "sex=at birth"})
    views, _ = frames()
    model = fit({"a": views["a"], "clinical": table})
    model.save(tmp_path / "m.model")
    loaded = OneFold.load(tmp_path / "m.model")
    few = [0, 60, 149]
    new = {"clinical": table.iloc[few, ::-1], "a": views["a"].iloc[few]}
    assert (loaded.predict(new) == model.predict(new)).all()
    assert np.array_equal(loaded.transform(new), model.transform(new))
    other = {**new, "clinical": new["clinical"].assign(**{"sex=at birth": ["x", "m", "f"]})}
    said = "view clinical, column sex=at birth: 'x' was not there in the fit"
    with pytest.warns(UserWarning, match=said):
        labels, sure = loaded.predict(other, return_confidence=True)
    with pytest.warns(UserWarning, match=said):
        wanted = model.predict(other, return_confidence=True)
    assert (labels == wanted[0]).all() and np.array_equal(sure, wanted[1])
    with pytest.raises(ValueError, match="view clinical, column age: 'old' is not a number"):
        loaded.predict({**new, "clinical": new["clinical"].assign(age="old")})
    with pytest.raises(ValueError, match="view clinical lacks 1 of the columns of the fit: 'age'"):
        loaded.predict({**new, "clinical": new["clinical"].drop(columns="age")})
    with pytest.warns(UserWarning, match="view clinical: weight was not there in the fit"):
        extra = loaded.predict({**new, "clinical": new["clinical"].assign(weight=1.0)})
    assert (extra == model.labels_[few]).all()
    with pytest.warns(UserWarning, match="X has no view clinical"):
        assert (loaded.predict({"a": views["a"].iloc[few]}) == model.labels_[few]).all()


def test_a_loaded_model_of_one_frame(tmp_path):
    table, _ = clinical()
    table = table[["age", "stage", "visits"]]
    model = fit(table)
    model.save(tmp_path / "m.model")
    loaded = OneFold.load(tmp_path / "m.model")
    assert (loaded.predict(table.iloc[:5, [2, 0, 1]]) == model.labels_[:5]).all()
    with pytest.raises(ValueError, match="lacks 1 of the columns of the fit: 'stage=III'|'stage"):
        loaded.predict(table[["age", "visits"]])


def test_a_category_weighs_as_one_column():
    table, _ = clinical()
    words = table[["age", "visits", "sex"]]
    numbers = words.assign(sex=(words["sex"] == "m").astype(float))
    split = pd.get_dummies(words)  # three columns of numbers and of one weight each
    at = [fit({"v": t}).embedding_ for t in (numbers, words, split)]
    one, two, three = (x @ x.T for x in at)  # whichever way the axes lie
    assert np.allclose(one, two, atol=1e-8) and not np.allclose(one, three, atol=1e-3)


def test_missing_values_of_categories_are_missing():
    table, truth = clinical()
    views, _ = frames()
    table = table[["age", "sex", "stage"]].copy()
    table.loc[5, "sex"] = None
    table["age"] = table["age"].astype("Int64")
    table.loc[7, "age"] = pd.NA
    X = {"a": views["a"], "clinical": table}
    with pytest.raises(ValueError, match=r"clinical: .*missing \(NaN\), the first in sample 6, column sex=f; fill"):
        fit(X)
    named = {k: v.set_axis([f"s{i}" for i in range(150)]) for k, v in X.items()}
    with pytest.raises(ValueError, match="sample 's5', column sex=f"):
        fit(named)
    assert onefold.score(fit(X, impute="mean").labels_, truth)["acc"] == 1
    table.loc[9] = [pd.NA, None, None]  # a row without a value lacks the view
    assert onefold.score(fit(X, impute="mean").labels_, truth)["acc"] == 1


CELLS = {
    "a word among numbers": (["1", "2", "3.5", "4", "m"], "view v, column x: 'm' is not a number; most"),
    "a word among objects": ([1, 2, 3.5, 4, "unknown"], "view v, column x: 'unknown' is not a number"),
    "a complex number": (pd.Series([1j, 2, 3, 4, 5], dtype=object), "view v, column x: 1j is not a number"),
    "a list": ([[1], 2, 3, 4, 5], r"view v, column x: \[1\] is not a number"),
    "texts alone": (list("abcde"), r"view v holds no numbers and no categories: x \(ids\)"),
    "dates alone": ([datetime.date(2020, 1, d) for d in range(1, 6)], r"x \(dates\)"),
    "datetimes alone": (pd.date_range("2020-01-01", periods=5), r"x \(dates\)"),
    "periods": (pd.period_range("2020-01", periods=5, freq="M"), r"x \(dates\)"),
}


@pytest.mark.parametrize("name", CELLS)
def test_cells_that_are_no_numbers_are_named(name):
    values, words = CELLS[name]
    with pytest.raises(ValueError, match=words):
        fit({"v": pd.DataFrame({"x": values})})


def test_cells_of_arrays_are_named():
    rows = np.array([[1, 2], [3, "m"], [5, 6]], dtype=object)
    for array in (rows, rows.astype(str)):
        with pytest.raises(ValueError, match="view clinical, column 2: 'm' is not a number"):
            fit({"clinical": array})
    rows[1, 1] = pd.NA
    with pytest.raises(ValueError, match="NaN|missing"):
        fit({"clinical": np.vstack([rows] * 3)})


def test_numbers_that_pandas_holds_otherwise_are_numbers():
    views, _ = frames()
    expected = fit({k: v.round(1) for k, v in views.items()}).labels_
    for kind in ("Float64", "float32", object, "string"):
        with_kind = {k: v.round(1).astype(str if kind == "string" else kind).astype(kind)
                     for k, v in views.items()}
        assert onefold.score(fit(with_kind).labels_, expected)["ari"] == 1, kind


def test_fractions_and_decimals_are_numbers():
    from onefold._inputs import views_of
    frame = pd.DataFrame({"x": [decimal.Decimal("1.5"), fractions.Fraction(1, 4), True, None]})
    assert np.array_equal(views_of(frame).views[0].arrays[0][:, 0], [1.5, 0.25, 1, np.nan], equal_nan=True)


def test_wide_frames_of_one_type_are_not_copied():
    from onefold._inputs import views_of
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(20, 30)))
    assert np.shares_memory(views_of(frame).views[0].arrays[0], frame.to_numpy())


def beside(**columns):
    """Two views of 60 samples; the second has these columns too, in front."""
    views, truth = frames(60)
    for name, values in reversed(columns.items()):
        views["b"].insert(0, name, values)
    return views, truth


@pytest.mark.parametrize("name, values", [
    ("patient_id", np.random.default_rng(3).permutation(60) * 7),  # by its heading
    ("Unnamed: 0", np.arange(60)),
    ("row", np.arange(100, 160)),  # first, and it counts
    ("accession", [f"{i * i:05d}" for i in range(60)]),  # codes, no amounts
])
def test_ids_among_the_columns_are_left_out(name, values):
    views, truth = beside(**{name: values})
    with pytest.warns(UserWarning, match=f"{name} .ids.*samples are matched by the index"):
        model = fit(views)
    plain = fit({"a": views["a"], "b": views["b"].drop(columns=name)})
    assert (model.labels_ == plain.labels_).all() and onefold.score(model.labels_, truth)["acc"] == 1
    assert (model.predict({"a": views["a"], "b": views["b"].drop(columns=name).assign(**{name: 0})})
            == model.labels_).all()


@pytest.mark.parametrize("ids", [[f"s{i}" for i in range(60)], list(range(7, 67))], ids=["words", "numbers"])
def test_ids_in_columns_in_another_order_are_refused(ids):
    views, truth = frames(60)
    a, b = views["a"].assign(case_id=ids), views["b"].assign(case_id=ids)
    mixed = b.sample(frac=1, random_state=1).reset_index(drop=True)
    warnings.simplefilter("ignore")
    with pytest.raises(ValueError, match="case_id, in different order.*set_index"):
        fit({"a": a, "b": mixed})
    assert onefold.score(fit({"a": a, "b": b}).labels_, truth)["acc"] == 1
    matched = fit({"a": a.set_index("case_id"), "b": mixed.set_index("case_id")})
    assert onefold.score(by_name(matched), pd.Series(truth, index=ids))["acc"] == 1


def test_large_numbers_that_all_differ_are_named():
    views, _ = beside(MRN=70131 + np.arange(60) ** 2)
    with pytest.warns(UserWarning, match="numbers of MRN all differ"):
        fit(views)


def test_codes_and_signs_are_no_amounts():
    views, _ = beside(zip=["00501", "10115", "00544"] * 20, er=["+", "-", "-"] * 20)
    kept = onefold._columns.frame_numbers(views["b"], "b")
    assert kept[1].column_names()[:4] == ["zip=00501", "zip=00544", "zip=10115", "er"]
    assert kept[0][:3, 3].tolist() == [1, 0, 0]


def test_an_empty_column_is_left_out():
    views, _ = frames()
    expected = fit(views).labels_
    with pytest.warns(UserWarning, match=r"view b: left out, as no numbers or categories: void \(empty\)"):
        model = fit({"a": views["a"], "b": views["b"].assign(void=np.nan)})
    assert (model.labels_ == expected).all()
    assert (model.predict(views) == expected).all()


# ---- views by names ------------------------------------------------------------------------------


def test_views_by_names_of_columns():
    views, _ = frames()
    whole = pd.concat(views.values(), axis=1).assign(other=1.0)
    columns = {"a": list(views["a"].columns), "b": list(views["b"].columns)}
    model = fit(whole, views=columns)
    expected = fit(views)
    assert model.view_names_ == ["a", "b"] and (model.labels_ == expected.labels_).all()
    assert (model.predict(whole) == model.labels_).all()
    assert (fit(whole, views={"a": slice("a0", "a5"), "b": slice(6, 15)}).labels_ == expected.labels_).all()
    with pytest.raises(ValueError, match="the view b asks for the column 'b33', which X has not; did you mean 'b3'"):
        fit(whole, views={"a": ["a0"], "b": ["b33"]})


def test_views_by_names_of_views():
    views, _ = frames()
    three = {**views, "noise": pd.DataFrame(np.random.default_rng(0).normal(size=(150, 4)))}
    model = fit(three, views=["b", "a"])
    assert model.view_names_ == ["b", "a"]
    assert (model.predict(three) == model.labels_).all()
    with pytest.raises(ValueError, match="views= names 'c', and X has a, b"):
        fit(views, views=["a", "c"])
    with pytest.raises(ValueError, match="splits one array"):
        fit(views, views=[slice(0, 2)])


# ---- scikit-learn's searches ---------------------------------------------------------------------


def test_grid_search_over_views():
    from sklearn.model_selection import GridSearchCV
    views, truth = frames()
    order = np.random.default_rng(0).permutation(150)
    lists = [v.to_numpy()[order] for v in views.values()]
    search = GridSearchCV(OneFold(2, method=METHOD), {"n_clusters": [2, 3]}, cv=3)
    search.fit(onefold.Samples(lists), truth[order])
    assert search.best_params_ == {"n_clusters": 3}
    assert (search.predict(onefold.Samples(lists)) == search.best_estimator_.predict(lists)).all()
    named = {k: v.set_axis([f"s{i}" for i in range(150)]) for k, v in views.items()}
    mixed = onefold.Samples({"a": named["a"].iloc[order], "b": named["b"].iloc[:140]})
    assert mixed.shape == (150, 2) and list(mixed.views["b"].index) == list(mixed.views["a"].index)
    y = pd.Series(truth, index=named["a"].index).loc[mixed.views["a"].index]
    assert GridSearchCV(OneFold(2, method=METHOD), {"n_clusters": [2, 3]}, cv=3).fit(
        mixed, y).best_params_ == {"n_clusters": 3}
    with pytest.raises(ValueError, match="different numbers of samples: view 1 has 150, view 2 has 5"):
        onefold.Samples([lists[0], lists[1][:5]])
