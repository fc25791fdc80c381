"""scikit-learn with array API dispatch."""

import numpy as np
import pytest
import sklearn
from sklearn import metrics, preprocessing
from sklearn.calibration import CalibratedClassifierCV
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    RidgeCV,
)
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

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
    "RidgeClassifier": lambda x, c, v: RidgeClassifier(solver="svd").fit(x, c).predict(x),
    "LogisticRegression": lambda x, c, v: (
        LogisticRegression(solver="lbfgs").fit(x, c).predict_proba(x)
    ),
    "PoissonRegressor": lambda x, c, v: PoissonRegressor().fit(x, abs(v)).predict(x),
    "CalibratedClassifierCV": lambda x, c, v: (
        CalibratedClassifierCV(LinearDiscriminantAnalysis(), method="temperature", cv=2)
        .fit(x, c)
        .predict_proba(x)
    ),
    "Nystroem": lambda x, c, v: abs(Nystroem(n_components=9, random_state=0).fit_transform(x)),
    "make_pipeline": lambda x, c, v: (
        make_pipeline(preprocessing.StandardScaler(), Ridge(solver="svd")).fit(x, v).predict(x)
    ),
    "cross_val_predict": lambda x, c, v: cross_val_predict(Ridge(solver="svd"), x, v, cv=3),
    "train_test_split": lambda x, c, v: train_test_split(x, v, random_state=0),
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
    "LabelBinarizer": lambda x, c, v: preprocessing.LabelBinarizer().fit_transform(c),
    "LabelEncoder": lambda x, c, v: preprocessing.LabelEncoder().fit_transform(c),
    "cosine_similarity": lambda x, c, v: metrics.pairwise.cosine_similarity(x),
    "euclidean_distances": lambda x, c, v: metrics.pairwise.euclidean_distances(x, x[:7] + 1),
    "rbf_kernel": lambda x, c, v: metrics.pairwise.rbf_kernel(x),
    "linear_kernel": lambda x, c, v: metrics.pairwise.linear_kernel(x),
    "polynomial_kernel": lambda x, c, v: metrics.pairwise.polynomial_kernel(x),
    "sigmoid_kernel": lambda x, c, v: metrics.pairwise.sigmoid_kernel(x),
    "additive_chi2_kernel": lambda x, c, v: metrics.pairwise.additive_chi2_kernel(abs(x)),
    "chi2_kernel": lambda x, c, v: metrics.pairwise.chi2_kernel(abs(x)),
    "paired_cosine_distances": lambda x, c, v: metrics.pairwise.paired_cosine_distances(x, x + 1),
    "paired_euclidean_distances": lambda x, c, v: metrics.pairwise.paired_euclidean_distances(
        x, x + 1
    ),
    "pairwise_distances": lambda x, c, v: metrics.pairwise_distances(x),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_estimators(call):
    agree(call, POINTS, CLASSES, VALUES, rtol=1e-3, atol=1e-3)


METRICS = {
    "accuracy": lambda x, c, v: metrics.accuracy_score(c, 1 - c),
    "balanced_accuracy": lambda x, c, v: metrics.balanced_accuracy_score(c, 1 - c),
    "brier_score": lambda x, c, v: metrics.brier_score_loss(c, 1 / (1 + np.exp(-v))),
    "cohen_kappa": lambda x, c, v: metrics.cohen_kappa_score(c, c),
    "confusion": lambda x, c, v: metrics.confusion_matrix(c, c),
    "f1": lambda x, c, v: metrics.f1_score(c, c),
    "fbeta": lambda x, c, v: metrics.fbeta_score(c, c, beta=0.5),
    "hamming_loss": lambda x, c, v: metrics.hamming_loss(c, 1 - c),
    "jaccard": lambda x, c, v: metrics.jaccard_score(c, c),
    "log_loss": lambda x, c, v: metrics.log_loss(c, 1 / (1 + np.exp(-v))),
    "matthews": lambda x, c, v: metrics.matthews_corrcoef(c, c),
    "max_error": lambda x, c, v: metrics.max_error(v, v * 2),
    "mean_absolute_error": lambda x, c, v: metrics.mean_absolute_error(v, v * 2),
    "mean_absolute_percentage_error": lambda x, c, v: metrics.mean_absolute_percentage_error(
        v, v * 2
    ),
    "mean_gamma_deviance": lambda x, c, v: metrics.mean_gamma_deviance(abs(v), abs(v) * 2),
    "mean_pinball_loss": lambda x, c, v: metrics.mean_pinball_loss(v, v * 2),
    "mean_squared_log_error": lambda x, c, v: metrics.mean_squared_log_error(abs(v), abs(v) * 2),
    "median_absolute_error": lambda x, c, v: metrics.median_absolute_error(v, v * 2),
    "precision": lambda x, c, v: metrics.precision_score(c, c),
    "recall": lambda x, c, v: metrics.recall_score(c, c),
    "mean_squared_error": lambda x, c, v: metrics.mean_squared_error(v, v * 2),
    "r2": lambda x, c, v: metrics.r2_score(v, v * 0.9),
    "root_mean_squared_error": lambda x, c, v: metrics.root_mean_squared_error(v, v * 2),
    "zero_one_loss": lambda x, c, v: metrics.zero_one_loss(c, 1 - c),
    "d2_absolute_error": lambda x, c, v: metrics.d2_absolute_error_score(v, v * 0.9),
    "explained_variance": lambda x, c, v: metrics.explained_variance_score(v, v * 0.9),
    "roc_auc": lambda x, c, v: metrics.roc_auc_score(c, v),
}


@pytest.mark.parametrize("call", METRICS.values(), ids=METRICS)
def test_metrics(call):
    agree(call, POINTS, CLASSES, VALUES, on_device=False)


# They have no code for other libraries: without dispatch, they copy what they are given.
ON_HOST = {
    "KMeans": lambda x, c, v: KMeans(2, n_init=1, random_state=0).fit(x).predict(x),
    "LinearRegression": lambda x, c, v: LinearRegression().fit(x, v).predict(x),
}


@pytest.mark.parametrize("call", ON_HOST.values(), ids=ON_HOST)
def test_estimators_on_the_host(call):
    with sklearn.config_context(array_api_dispatch=False):
        agree(call, POINTS, CLASSES, VALUES, on_device=False)
