"""scikit-learn with array API dispatch."""

import numpy as np
import pytest
import sklearn
from sklearn import metrics, preprocessing
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge, RidgeCV
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB

from tests.clients.agree import agree

RNG = np.random.default_rng(5)
POINTS = (RNG.normal(size=(60, 5)) + RNG.integers(0, 2, (60, 1)) * 3).astype(np.float32)
CLASSES = (POINTS[:, 0] + POINTS[:, 1] > 3).astype(np.int32)
VALUES = (POINTS @ RNG.normal(size=5) + 0.1 * RNG.normal(size=60)).astype(np.float32)


@pytest.fixture(autouse=True)
def dispatch():
    with sklearn.config_context(array_api_dispatch=True):
        yield


def fitted(made):
    return lambda x, c, v: made.fit_transform(x)


# Signs of components are free.
CALLS = {
    "PCA full": lambda x, c, v: abs(PCA(2, svd_solver="full").fit_transform(x)),
    "PCA covariance": lambda x, c, v: abs(PCA(2, svd_solver="covariance_eigh").fit_transform(x)),
    "PCA randomized": lambda x, c, v: abs(
        PCA(
            2, svd_solver="randomized", random_state=0, power_iteration_normalizer="QR"
        ).fit_transform(x)
    ),
    "Ridge": lambda x, c, v: Ridge(solver="svd").fit(x, v).predict(x),
    "RidgeCV": lambda x, c, v: RidgeCV().fit(x, v).predict(x),
    "LinearDiscriminantAnalysis": lambda x, c, v: abs(
        LinearDiscriminantAnalysis(solver="svd").fit(x, c).transform(x)
    ),
    "GaussianMixture": lambda x, c, v: (
        GaussianMixture(2, init_params="random_from_data", random_state=0).fit(x).predict_proba(x)
    ),
    "GaussianNB": lambda x, c, v: GaussianNB().fit(x, c).predict(x),
    "StandardScaler": fitted(preprocessing.StandardScaler()),
    "MinMaxScaler": fitted(preprocessing.MinMaxScaler()),
    "MaxAbsScaler": fitted(preprocessing.MaxAbsScaler()),
    "Normalizer": fitted(preprocessing.Normalizer()),
    "PolynomialFeatures": fitted(preprocessing.PolynomialFeatures(2)),
    "Binarizer": fitted(preprocessing.Binarizer()),
    "KernelCenterer": lambda x, c, v: preprocessing.KernelCenterer().fit_transform(x @ x.T),
    "LabelEncoder": lambda x, c, v: preprocessing.LabelEncoder().fit_transform(c),
    "cosine_similarity": lambda x, c, v: metrics.pairwise.cosine_similarity(x),
    "euclidean_distances": lambda x, c, v: metrics.pairwise.euclidean_distances(x, x[:7] + 1),
    "rbf_kernel": lambda x, c, v: metrics.pairwise.rbf_kernel(x),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_estimators(call):
    agree(call, POINTS, CLASSES, VALUES, rtol=1e-3, atol=1e-3)


METRICS = {
    "accuracy": lambda x, c, v: metrics.accuracy_score(c, 1 - c),
    "confusion": lambda x, c, v: metrics.confusion_matrix(c, c),
    "f1": lambda x, c, v: metrics.f1_score(c, c),
    "log_loss": lambda x, c, v: metrics.log_loss(c, 1 / (1 + np.exp(-v))),
    "mean_squared_error": lambda x, c, v: metrics.mean_squared_error(v, v * 2),
    "r2": lambda x, c, v: metrics.r2_score(v, v * 0.9),
    "roc_auc": lambda x, c, v: metrics.roc_auc_score(c, v),
}


@pytest.mark.parametrize("call", METRICS.values(), ids=METRICS)
def test_metrics(call):
    agree(call, POINTS, CLASSES, VALUES, on_device=False)
