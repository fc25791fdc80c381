"""Calls of functions of arrays whose gradients PyTorch is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Row = tuple[str, str, dict[str, Any]]

UNARY = """sin cos tan asin acos atan sinh cosh tanh asinh atanh exp exp2 expm1 log log2 log10
    log1p sqrt rsqrt square abs erf reciprocal sigmoid deg2rad rad2deg sinc"""
COMPLEX = "sin cos tan asin acos atan sinh cosh tanh asinh atanh exp log sqrt abs"
BINARY = "add subtract multiply divide maximum minimum atan2 hypot pow logaddexp"


def rows() -> Iterator[Row]:
    for part in (elements, kinks, reductions, shapes, products, matrices, transforms):
        yield from part()


def _both(calls: str, operands: dict[str, Any]) -> Iterator[Row]:
    """Calls that are the same but for the module and the names of axes."""
    for call in calls.splitlines():
        call = call.strip()
        ours = call.replace("torch.", "dv.").replace(" dim=", " axis=")
        ours = ours.replace("keepdim=", "keepdims=")
        yield call, ours, operands


def elements() -> Iterator[Row]:
    names = {"deg2rad": "radians", "rad2deg": "degrees"}
    for name in UNARY.split():
        positive = {"x": {"shape": (2, 3), "low": 0.2, "high": 0.9}}
        yield f"torch.{name}(x)", f"dv.{names.get(name, name)}(x)", positive
    for name in [
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "atanh",
        "exp",
        "log",
        "sqrt",
        "abs",
    ]:
        numbers = {"x": {"shape": (2, 3), "kind": "c"}}
        yield f"torch.{name}(x)", f"dv.{name}(x)", numbers
    positive = {
        "x": {"shape": (2, 3), "low": 0.2, "high": 0.9},
        "y": {"shape": (3,), "low": 0.2, "high": 0.9},
    }
    for name in [
        "add",
        "subtract",
        "multiply",
        "divide",
        "maximum",
        "minimum",
        "atan2",
        "hypot",
        "pow",
        "logaddexp",
    ]:
        yield f"torch.{name}(x, y)", f"dv.{name}(x, y)", positive
    numbers = {"x": {"shape": (2, 3), "kind": "c"}, "y": {"shape": (3,), "kind": "c"}}
    for call in ("x * y", "x / y", "torch.pow(x, y)", "x + 2 * y", "x - y"):
        yield call, call.replace("torch", "dv"), numbers
    mixed = {"x": {"shape": (2, 3), "kind": "c"}, "y": {"shape": (3,)}}
    for call in ("x * y", "x / (y + 3)", "x + y"):
        yield call, call, mixed
    one = {"x": {"shape": (2, 3), "kind": "c"}}
    for call in ("torch.real(x)", "torch.imag(x)", "torch.angle(x)", "x.conj() * x * x"):
        ours = call.replace("torch", "dv").replace("x.conj()", "dv.conj(x)")
        yield call, ours, one
    yield "x.to(torch.complex128) * 1j", "dv.astype(x, 'complex128') * 1j", {"x": (2, 3)}
    yield "torch.fmod(x, y)", "dv.fmod(x, y)", positive
    yield "torch.remainder(x, y)", "dv.remainder(x, y)", positive
    yield "torch.copysign(x, y)", "dv.copysign(x, y)", positive
    yield "torch.xlogy(x, y)", "dv.xlogy(x, y)", positive
    yield "torch.lerp(x, y, 0.3)", "x + (y - x) * 0.3", {"x": (2, 3), "y": (2, 3)}
    yield "torch.where(wide, x, y)", "dv.where(wide, x, y)", {"x": (2, 3), "y": (1, 3)}
    yield "torch.clamp(x, -0.5, 0.5)", "dv.clip(x, -0.5, 0.5)", {"x": (4, 3)}
    limits = {"x": (4, 3), "a": {"shape": (3,), "low": -1.0, "high": -0.2}, "c": (4, 1)}
    yield "torch.clamp(x, a, c)", "dv.clip(x, a, c)", limits


def kinks() -> Iterator[Row]:
    """Where functions have no slope, or one side's: all values are stored."""

    def at(*values: Any) -> dict[str, Any]:
        return {"x": {"values": list(values)}}

    yield "torch.abs(x)", "dv.abs(x)", at(0.0, -0.0, 1.0, -1.0)
    yield "torch.abs(x)", "dv.abs(x)", {"x": {"values": [0.0, 0.0], "kind": "c"}}
    yield "torch.angle(x)", "dv.angle(x)", {"x": {"values": [0.0, 1.0], "kind": "c"}}
    yield "torch.sign(x)", "dv.sign(x)", at(0.0, 1.0, -1.0)
    yield "torch.sqrt(x)", "dv.sqrt(x)", at(0.0, 4.0)
    yield "torch.rsqrt(x)", "dv.rsqrt(x)", at(0.0, 4.0)
    yield "torch.log(x)", "dv.log(x)", at(0.0, 4.0)
    yield "torch.pow(x, 0.5)", "dv.pow(x, 0.5)", at(0.0, 4.0)
    yield "torch.pow(x, 2)", "dv.pow(x, 2)", at(0.0, -1.5)
    yield "torch.pow(x, 0)", "dv.pow(x, 0)", at(0.0, -1.5)
    yield "torch.pow(x, 1)", "dv.pow(x, 1)", at(0.0, -1.5)
    yield "torch.pow(2.0, x)", "dv.pow(2.0, x)", at(0.0, -1.5)
    yield "torch.pow(0.0, x)", "dv.pow(0.0, x)", at(0.0, 1.5)
    pair = {"x": {"values": [0.0, 0.0, 1.0, -2.0]}, "y": {"values": [2.0, 0.0, 1.0, 3.0]}}
    for call in ("torch.pow(x, y)", "torch.hypot(x, y)", "torch.atan2(x, y)", "torch.xlogy(x, y)"):
        yield call, call.replace("torch", "dv"), pair
    tied = {"x": {"values": [1.0, 2.0, 3.0, 0.0]}, "y": {"values": [1.0, 3.0, 2.0, -0.0]}}
    for name in ("maximum", "minimum", "fmax", "fmin"):
        yield f"torch.{name}(x, y)", f"dv.{name}(x, y)", tied
    yield "torch.logaddexp(x, y)", "dv.logaddexp(x, y)", tied
    yield "torch.clamp(x, 0.0, 1.0)", "dv.clip(x, 0.0, 1.0)", at(-1.0, 0.0, 0.5, 1.0, 2.0)
    yield "torch.relu(x)", "dv.relu(x)", at(-1.0, 0.0, 1.0)
    yield "F.relu6(x)", "dv.clip(x, 0.5, 6.0)", at(1.0, 5.0)
    yield "F.hardtanh(x)", "dv.clip(x, -1.0, 1.0)", at(-2.0, 0.0, 2.0)
    for name in ("max", "min"):
        yield f"torch.{name}(x)", f"dv.{name}(x)", at(2.0, 1.0, 2.0, 1.0)
        rows = at([2.0, 1.0, 2.0, 1.0], [3.0, 3.0, 3.0, 3.0])
        yield f"torch.{name}(x, dim=1)[0]", f"dv.{name}(x, axis=1)", rows
        yield f"torch.a{name}(x, dim=(0, 1))", f"dv.{name}(x, axis=(0, 1))", rows
    yield "torch.prod(x)", "dv.prod(x)", at(0.0, 2.0, 3.0)
    yield "torch.prod(x)", "dv.prod(x)", at(0.0, 2.0, 0.0)
    yield "torch.prod(x, dim=1)", "dv.prod(x, axis=1)", at([0.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    yield "torch.cumprod(x, 0)", "dv.cumulative_prod(x)", at(2.0, 0.0, 3.0, 4.0)
    yield "torch.cumprod(x, 0)", "dv.cumulative_prod(x)", at(0.0, 2.0, 0.0, 4.0)
    yield "torch.sort(x)[0]", "dv.sort(x, stable=True)", at(2.0, 1.0, 2.0, 1.0)
    yield "torch.cummax(x, 0)[0]", "dv.cummax(x, axis=0)[0]", at(2.0, 1.0, 2.0, 3.0, 3.0)
    yield "torch.cummin(x, 0)[0]", "dv.cummin(x, axis=0)[0]", at(2.0, 1.0, 2.0, 1.0, 1.0)
    for order in ("1", "2", "3", "float('inf')", "-float('inf')", "0.5"):
        for values in ((0.0, 0.0, 0.0), (2.0, -2.0, 1.0), (0.0, 3.0, -1.0)):
            yield (
                f"torch.linalg.vector_norm(x, ord={order})",
                f"dv.linalg.vector_norm(x, ord={order})",
                at(*values),
            )
    yield "torch.std(x)", "dv.std(x, correction=1)", at(2.0, 2.0, 2.0)
    yield "torch.var(x)", "dv.var(x, correction=1)", at(2.0, 2.0, 2.0)
    yield "torch.logsumexp(x, 0)", "nn.logsumexp(x, axis=0)", at(1.0, 1.0, float("-inf"))
    yield "torch.logcumsumexp(x, 0)", "dv.logcumsumexp(x, axis=0)", at(1.0, 1.0, -3.0)
    yield "torch.nansum(x)", "dv.nansum(x)", at(1.0, float("nan"), 2.0)
    yield "torch.nanmean(x)", "dv.nanmean(x)", at(1.0, float("nan"), 2.0)
    yield "torch.nan_to_num(x)", "dv.nan_to_num(x)", at(1.0, float("nan"), float("inf"))
    yield "torch.sinc(x)", "dv.sinc(x)", at(0.0, 1.0, 0.5)
    yield "torch.where(x > 0, x, x * 2)", "dv.where(x > 0, x, x * 2)", at(0.0, 1.0, -1.0)
    yield "torch.round(x) * x", "dv.round(x) * x", at(0.5, 1.25, -1.5)
    yield "torch.frac(x)", "x - dv.trunc(x)", at(0.5, 1.25, -1.5)


def reductions() -> Iterator[Row]:
    x = {"x": (3, 4, 2)}
    yield from _both(
        """torch.sum(x)
        torch.sum(x, dim=1)
        torch.sum(x, dim=(0, 2), keepdim=True)
        torch.mean(x)
        torch.mean(x, dim=(1, 2))
        torch.prod(x)""",
        x,
    )
    for name in ("var", "std"):
        for more in ("", ", {}=1", ", {}=(0, 2)"):
            theirs, ours = more.format("dim"), more.format("axis")
            for correction in (0, 1):
                yield (
                    f"torch.{name}(x{theirs}, correction={correction})",
                    f"dv.{name}(x{ours}, correction={correction})",
                    x,
                )
    for name in ("max", "min"):
        yield f"torch.{name}(x, dim=1)[0]", f"dv.{name}(x, axis=1)", x
        yield f"torch.a{name}(x, dim=(0, 2))", f"dv.{name}(x, axis=(0, 2))", x
        yield f"torch.cum{name}(x, dim=1)[0]", f"dv.cum{name}(x, axis=1)[0]", x
    yield "torch.median(x[:, :3], dim=1)[0]", "dv.median(x[:, :3], axis=1)", x
    yield "torch.quantile(x, 0.3, dim=0)", "dv.quantile(x, 0.3, axis=0)", x
    yield "torch.cumsum(x, 1)", "dv.cumulative_sum(x, axis=1)", x
    yield "torch.cumprod(x, 0)", "dv.cumulative_prod(x, axis=0)", x
    yield "torch.logcumsumexp(x, 1)", "dv.logcumsumexp(x, axis=1)", x
    yield "torch.diff(x, n=2, dim=1)", "dv.diff(x, n=2, axis=1)", x
    yield "torch.trapezoid(x, dim=1)", "dv.trapezoid(x, axis=1)", x
    yield "torch.cov(x)", "dv.cov(x)", {"x": (3, 5)}
    yield "torch.corrcoef(x)", "dv.corrcoef(x)", {"x": (3, 5)}
    numbers = {"x": {"shape": (3, 4), "kind": "c"}}
    for call in ("sum(x, {}=0)", "mean(x)", "prod(x, {}=1)"):
        yield "torch." + call.format("dim"), "dv." + call.format("axis"), numbers
    yield "torch.cumsum(x, 1)", "dv.cumulative_sum(x, axis=1)", numbers
    yield "torch.cumprod(x, 1)", "dv.cumulative_prod(x, axis=1)", numbers
    yield "torch.var(x, correction=1)", "dv.var(x, correction=1)", numbers
    yield "torch.std(x, dim=0)", "dv.std(x, axis=0, correction=1)", numbers


def shapes() -> Iterator[Row]:
    x = {"x": (3, 4)}
    yield "torch.sort(x, dim=0)[0]", "dv.sort(x, axis=0)", x
    yield "torch.sort(x, dim=1, descending=True)[0]", "dv.sort(x, axis=1, descending=True)", x
    yield "torch.topk(x, 2)[0]", "dv.top_k(x, 2)[0]", x
    yield (
        "torch.topk(x, 2, dim=0, largest=False)[0]",
        ("dv.top_k(x, 2, axis=0, largest=False)[0]"),
        x,
    )
    yield "torch.gather(x, 1, gathered)", "dv.take_along_axis(x, gathered, axis=1)", x
    yield "torch.index_select(x, 1, picked)", "dv.take(x, picked, axis=1)", x
    yield "torch.take(x, gathered)", "dv.take(x.reshape(-1), gathered)", x
    for key in ("[1:, ::2]", "[:, None, 1]", "[picked]", "[picked, picked]", "[..., -1]", "[tall]"):
        yield f"x{key}", f"x{key}", x
    yield "x[:, picked]", "x[:, picked]", x
    yield "torch.cat([x, y, x], 1)", "dv.concat([x, y, x], axis=1)", {"x": (2, 3), "y": (2, 1)}
    yield "torch.stack([x, y], 1)", "dv.stack([x, y], axis=1)", {"x": (2, 3), "y": (2, 3)}
    yield "torch.roll(x, (1, -1), (0, 1))", "dv.roll(x, (1, -1), axis=(0, 1))", x
    yield "x.repeat(2, 3)", "dv.tile(x, (2, 3))", x
    yield "torch.repeat_interleave(x, 3, dim=1)", "dv.repeat(x, 3, axis=1)", x
    yield "x.expand(2, 3, 4) ** 2", "dv.broadcast_to(x, (2, 3, 4)) ** 2", x
    yield "torch.flip(x, (1,)) * x", "dv.flip(x, axis=1) * x", x
    yield "x.T.reshape(2, 6) ** 2", "x.T.reshape(2, 6) ** 2", x
    yield "torch.tril(x, 1)", "dv.tril(x, k=1)", x
    yield "torch.diagonal(x, 1)", "dv.diagonal(x, 1)", x
    yield "torch.diag(x[0])", "dv.diag(x[0])", x
    yield "x.unfold(1, 3, 1) ** 2", "dv.sliding_window_view(x, 3, axis=1) ** 2", x
    yield "x.as_strided((3, 3), (1, 2)) ** 2", "dv.as_strided(x, (3, 3), (1, 2)) ** 2", x
    yield "torch.kron(x, y)", "dv.kron(x, y)", {"x": (2, 3), "y": (2, 2)}
    yield "torch.linalg.cross(x, y)", "dv.linalg.cross(x, y)", {"x": (2, 3), "y": (2, 3)}
    yield "torch.masked_select(x, tall)", "x[tall]", {"x": (3, 4)}


def products() -> Iterator[Row]:
    for kind in "fc":
        for first, second in (
            [(2, 3, 4), (4, 5)],
            [(4,), (2, 4, 5)],
            [(3, 4), (4,)],
            [(4,), (4,)],
            [(2, 1, 3, 4), (3, 4, 2)],
        ):
            operands = {
                "x": {"shape": first, "kind": kind},
                "y": {"shape": second, "kind": kind},
            }
            yield "torch.matmul(x, y)", "dv.matmul(x, y)", operands
        operands = {
            "x": {"shape": (2, 3, 4), "kind": kind},
            "y": {"shape": (4, 3), "kind": kind},
        }
        for form in ("bij,ji->b", "bij,ji->bi", "bij,jk->bki", "bij,ck->bc"):
            yield f"torch.einsum({form!r}, x, y)", f"dv.einsum({form!r}, x, y)", operands
        yield (
            "torch.tensordot(x, y, ([2, 1], [0, 1]))",
            ("dv.tensordot(x, y, ((2, 1), (0, 1)))"),
            operands,
        )
        square = {"x": {"shape": (3, 3, 2), "kind": kind}}
        yield "torch.einsum('iij->j', x)", "dv.einsum('iij->j', x)", square
        pair = {"x": {"shape": (2, 3), "kind": kind}, "y": {"shape": (2, 3), "kind": kind}}
        yield "torch.linalg.vecdot(x, y)", "dv.vecdot(x, y)", pair
        yield "torch.vdot(x[0], y[1])", "dv.vdot(x[0], y[1])", pair
        yield "torch.outer(x[0], y[1])", "dv.outer(x[0], y[1])", pair


def matrices() -> Iterator[Row]:
    for kind in "fc":
        x = {"x": {"shape": (2, 3, 3), "kind": kind, "diagonal": 3.0}}
        own = "(x + x.mH)", "(x + dv.conj(x).mT)"
        product = "(x @ x.mH)", "dv.matmul(x, dv.conj(x).mT)"
        for name in ("inv", "det", "pinv"):
            yield f"torch.linalg.{name}(x)", f"dv.linalg.{name}(x)", x
        yield "torch.linalg.slogdet(x)[1]", "dv.linalg.slogdet(x).logabsdet", x
        if kind == "c":
            yield "torch.linalg.slogdet(x)[0]", "dv.linalg.slogdet(x).sign", x
        yield "torch.linalg.matrix_power(x, 3)", "dv.linalg.matrix_power(x, 3)", x
        yield f"torch.linalg.cholesky{product[0]}", f"dv.linalg.cholesky({product[1]})", x
        yield f"torch.linalg.cholesky{own[0]}", f"dv.linalg.cholesky{own[1]}", x
        yield (
            "torch.linalg.cholesky(x @ x.mH, upper=True)",
            (f"dv.linalg.cholesky({product[1]}, upper=True)"),
            x,
        )
        for upper in ("L", "U"):
            yield (
                f"torch.linalg.eigvalsh({own[0]}, {upper!r})",
                (f"dv.linalg.eigvalsh({own[1]}, {upper!r})"),
                x,
            )
            yield f"torch.linalg.eigvalsh(x, {upper!r})", f"dv.linalg.eigvalsh(x, {upper!r})", x
        yield f"torch.linalg.eigh({own[0]})[1].abs()", f"dv.abs(dv.linalg.eigh({own[1]})[1])", x
        yield "torch.linalg.eigh(x)[1].abs()", "dv.abs(dv.linalg.eigh(x)[1])", x
        # Which of eigenvalues comes first is the library's choice: sums do not tell.
        yield (
            "(torch.linalg.eigvals(x) ** 3).sum(-1)",
            ("dv.sum(dv.linalg.eigvals(x) ** 3, axis=-1)"),
            x,
        )
        for order in ("'fro'", "'nuc'", "1", "2", "-2", "float('inf')"):
            yield (
                f"torch.linalg.matrix_norm(x, {order})",
                (f"dv.linalg.matrix_norm(x, ord={order})"),
                x,
            )
        for order in ("1", "2", "3", "float('inf')"):
            yield (
                f"torch.linalg.vector_norm(x, {order}, 1)",
                (f"dv.linalg.vector_norm(x, ord={order}, axis=1)"),
                x,
            )
        for right in ((3,), (2, 3, 2)):
            both = {**x, "y": {"shape": right, "kind": kind}}
            if right == (3,):
                both["x"] = {"shape": (3, 3), "kind": kind, "diagonal": 3.0}
            yield "torch.linalg.solve(x, y)", "dv.linalg.solve(x, y)", both
        for shape in ((4, 2), (2, 4), (3, 3)):
            x = {"x": {"shape": shape, "kind": kind, "diagonal": 2.0}}
            yield "torch.linalg.svdvals(x)", "dv.linalg.svdvals(x)", x
            yield (
                "torch.linalg.svd(x, full_matrices=False)[0].abs()",
                ("dv.abs(dv.linalg.svd(x, full_matrices=False)[0])"),
                x,
            )
            yield (
                "torch.linalg.svd(x, full_matrices=False)[2].abs()",
                ("dv.abs(dv.linalg.svd(x, full_matrices=False)[2])"),
                x,
            )
            yield "torch.linalg.qr(x)[1].abs()", "dv.abs(dv.linalg.qr(x)[1])", x
            yield "torch.linalg.qr(x)[0].abs()", "dv.abs(dv.linalg.qr(x)[0])", x
            yield "torch.linalg.pinv(x)", "dv.linalg.pinv(x)", x
            both = {**x, "y": {"shape": (shape[0], 2), "kind": kind}}
            yield "torch.linalg.lstsq(x, y, driver='gelsd')[0]", "dv.linalg.lstsq(x, y)[0]", both
    # Repeated values.
    same = {"x": {"values": [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]}}
    for name in ("det", "inv", "pinv", "cholesky"):
        yield f"torch.linalg.{name}(x)", f"dv.linalg.{name}(x)", same
    for name in ("eigvalsh", "svdvals"):  # Which vectors belong to equal ones is a choice.
        yield f"(torch.linalg.{name}(x) ** 2).sum()", f"dv.sum(dv.linalg.{name}(x) ** 2)", same
    for order in ("'nuc'", "2", "'fro'"):
        yield (
            f"torch.linalg.matrix_norm(x, {order})",
            (f"dv.linalg.matrix_norm(x, ord={order})"),
            same,
        )


def transforms() -> Iterator[Row]:
    for norm in ("backward", "ortho", "forward"):
        for name in ("fft", "ifft", "hfft", "irfft", "rfft", "ihfft"):
            kind = "f" if name in ("rfft", "ihfft") else "c"
            x = {"x": {"shape": (6, 2), "kind": kind}}
            for n in (None, 4, 9):
                more = f"n={n}, norm={norm!r}"
                yield f"torch.fft.{name}(x, dim=0, {more})", f"dv.fft.{name}(x, axis=0, {more})", x
    for name in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"):
        kind = "f" if name in ("rfft2", "rfftn") else "c"
        x = {"x": {"shape": (2, 4, 3), "kind": kind}}
        yield f"torch.fft.{name}(x)", f"dv.fft.{name}(x)", x
        yield f"torch.fft.{name}(x, s=(3, 5))", f"dv.fft.{name}(x, s=(3, 5), axes=(-2, -1))", x
    yield "torch.fft.fft(x)", "dv.fft.fft(x)", {"x": (2, 7)}
    yield "torch.fft.fftshift(x)", "dv.fft.fftshift(x)", {"x": (2, 5)}
