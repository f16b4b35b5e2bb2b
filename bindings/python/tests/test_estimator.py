# SPDX-License-Identifier: Apache-2.0
"""The estimator keeps to scikit-learn's contract, by scikit-learn's own checks."""
import pickle
import subprocess
import sys

import numpy as np
import pytest
from conftest import METHOD, made
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import onefold
from onefold import OneFold


@parametrize_with_checks([OneFold(), OneFold(method=METHOD),
                          OneFold(method=METHOD, views=[slice(None), slice(0, 2)])])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_attributes(data):
    views, truth = data
    model = OneFold(3, random_state=0).fit(views)
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert model.labels_.dtype == np.int32 and model.labels_.shape == truth.shape
    assert model.n_features_in_ == 15 and model.n_features_per_view_ == [6, 9]
    assert model.embedding_.shape[0] == len(truth)
    assert model.confidence_.shape == truth.shape and (model.confidence_ >= 0).all()
    assert len(model.view_weights_) == len(model.view_names_) == 2
    fit = OneFold(3, method=METHOD).fit(views)
    assert fit.n_iter_ == len(fit.objective_trace_) and fit.objective_ == fit.objective_trace_[-1]


def test_labels_of_kmeans_have_no_objective_of_a_fit(data):
    for views, clusters in (data[0], 3), (onefold.datasets.load_digits().views, 10):
        model = OneFold(clusters, random_state=0).fit(views)
        by_kmeans = "labellings: k-means" in model.chosen_
        assert (model.objective_ is None) == (model.objective_trace_ is None) == by_kmeans
        assert model.n_iter_ == (1 if by_kmeans else len(model.objective_trace_))


def test_landmarks_neighbours_and_precision_reach_the_fit(data):
    views, truth = data
    plain = OneFold(3, method=METHOD, kernel="rbf", base="nystrom").fit(views)
    for options in ({"landmarks": 20}, {"precision": "single"}):
        other = OneFold(3, method=METHOD, kernel="rbf", base="nystrom", **options).fit(views)
        assert onefold.score(other.labels_, truth)["acc"] == 1
        assert not np.array_equal(other.embedding_, plain.embedding_)
    graph = {"kernel": "knn", "method": METHOD}
    few, many = (OneFold(3, **graph, neighbours=count).fit(views) for count in (3, 12))
    assert onefold.score(many.labels_, truth)["acc"] == 1
    assert not np.array_equal(few.embedding_, many.embedding_)
    same = OneFold(3, **graph, neighbours=8, landmarks=len(truth)).fit(views)  # as if left out
    assert np.array_equal(same.embedding_, OneFold(3, **graph).fit(views).embedding_)


def test_predicting_the_training_samples_gives_their_labels(data):
    views, _ = data
    model = OneFold(3, method=METHOD).fit(views)
    assert (model.predict(views) == model.labels_).all()
    assert model.transform(views).shape == model.embedding_.shape
    one = [v[:1] for v in views]
    assert model.predict(one)[0] == model.labels_[0]


def test_methods_without_a_model_have_no_predict(data):
    views, truth = data
    model = OneFold(3, method="avg-kkm").fit(views)
    assert onefold.score(model.labels_, truth)["acc"] == 1
    assert not hasattr(model, "predict") and not hasattr(model, "transform")


def test_pipeline_and_grid_search(data):
    views, truth = data
    search = GridSearchCV(make_pipeline(StandardScaler(), OneFold(
        2, method=METHOD, views=[slice(0, 6), slice(6, None)])), {"onefold__n_clusters": [2, 3]},
        cv=3)
    order = np.random.default_rng(0).permutation(len(truth))
    search.fit(np.hstack(views)[order], truth[order])
    assert search.best_params_ == {"onefold__n_clusters": 3}


def test_pickles_work_in_another_process(data, tmp_path):
    views, _ = data
    model = OneFold(3, method=METHOD).fit(views)
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    np.savez(tmp_path / "views.npz", *views)
    code = ("import pickle, sys, numpy as np\n"
            f"model = pickle.load(open({str(tmp_path / 'model.pickle')!r}, 'rb'))\n"
            f"z = np.load({str(tmp_path / 'views.npz')!r})\n"
            "np.savetxt(sys.stdout, model.predict([z['arr_0'], z['arr_1']]), '%d')")
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert (np.array(out.stdout.split(), int) == model.labels_).all()


def test_clone_and_parameters():
    model = OneFold(4, kernel=["rbf", "linear"], weights=[0.5, None])
    again = clone(model)
    assert again.get_params() == model.get_params() and again is not model
    with pytest.raises(ValueError, match="Invalid parameter 'clusters'"):
        model.set_params(clusters=3)
    assert repr(OneFold(3, n_jobs=2)) == "OneFold(n_clusters=3, n_jobs=2)"


def test_threads_do_not_change_labels(data):
    views, _ = data
    one, two = (OneFold(3, n_jobs=jobs).fit(views) for jobs in (1, 2))
    assert (one.labels_ == two.labels_).all() and one.objective_ == two.objective_


def test_works_without_scikit_learn_and_pandas():
    code = ("import sys\nfor name in ('sklearn', 'pandas', 'scipy'): sys.modules[name] = None\n"
            "import numpy as np, onefold\n"
            "x = np.vstack([np.random.default_rng(0).normal(size=(30, 4)) + 9 * c for c in (0, 1)])\n"
            f"m = onefold.OneFold(2, method={METHOD!r}).fit([x, x[:, :2]])\n"
            "assert sorted(np.bincount(m.labels_)) == [30, 30]\n"
            f"try: onefold.OneFold(2, method={METHOD!r}).predict(x)\n"
            "except ValueError as e: assert 'not fitted' in str(e)\n"
            "else: raise SystemExit(1)")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_import_is_light():
    code = "import numpy, sys; import onefold; print([m for m in ('sklearn', 'pandas', 'scipy', " \
           "'matplotlib', 'tqdm') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


def test_many_seeds_agree_on_clear_data():
    views, truth = made(200, 4, seed=3)
    for seed in range(3):
        labels = OneFold(4, method=METHOD, random_state=seed).fit_predict(views)
        assert onefold.score(labels, truth)["ari"] == 1
