"""Errors: the data they carry, under which names, and what becomes of it in a pickle."""

from __future__ import annotations

import copy
import pickle

import pytest

from dml_vk import errors
from dml_vk.errors import ErrorsAs, LayoutError, Log, ShaderError

CLASSES = {
    errors.DmlVkError: Exception,
    errors.LayoutError: ValueError,
    errors.LayoutIndexError: IndexError,
    errors.AxisError: IndexError,
    errors.DTypeError: TypeError,
    errors.RangeError: ValueError,
    errors.DeviceError: RuntimeError,
    errors.DeviceMemoryError: MemoryError,
    errors.CaptureError: RuntimeError,
    errors.GradientError: RuntimeError,
    errors.ModelError: ValueError,
    errors.LinAlgError: ValueError,
    errors.ShaderError: ValueError,
}


def test_every_class_is_here_and_one_of_pythons():
    own = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    assert {kind for kind in own if issubclass(kind, errors.DmlVkError)} == set(CLASSES)
    for kind, base in CLASSES.items():
        assert issubclass(kind, base)
    assert issubclass(errors.LayoutIndexError, LayoutError)


@pytest.mark.parametrize("kind", CLASSES)
def test_an_error_carries_its_data(kind):
    error = kind("take", "no such index", index=7, sizes=(2, 3))
    assert (error.op, error.rule) == ("take", "no such index")
    assert error.got == {"index": 7, "sizes": (2, 3)}
    assert str(error) == "take: no such index; got index=7, sizes=(2, 3)"
    assert error.args == (str(error),)


def test_values_may_have_any_names():
    error = LayoutError("op", "it must hold", self=1, op=2, rule=3, got=4)
    assert error.got == {"self": 1, "op": 2, "rule": 3, "got": 4}
    assert (error.op, error.rule) == ("op", "it must hold")


def test_the_text_is_that_of_the_values_at_the_time():
    sizes = [2]
    error = LayoutError("op", "it must hold", sizes=sizes)
    sizes.append(3)
    assert str(error) == "op: it must hold; got sizes=[2]"


def test_a_value_that_cannot_be_shown():
    said = str(LayoutError("op", "it must hold", number=10**5000))
    assert said == "op: it must hold; got number=<int without a repr: ValueError>"


def test_a_log_is_shown_in_lines():
    said = str(ShaderError("mine", "it must compile", log=Log("line 1: x\nline 2: y")))
    assert said == "mine: it must compile; got log=\nline 1: x\nline 2: y"


@pytest.mark.parametrize("kind", CLASSES)
def test_renamed(kind):
    error = kind("view", "a=b; got a=: no", a="x, a=1", b=2)
    renamed = error.renamed("reshape", a="c", d="e")
    assert type(renamed) is kind
    assert str(renamed) == "reshape: a=b; got a=: no; got c='x, a=1', b=2"
    assert (renamed.op, renamed.rule) == ("reshape", "a=b; got a=: no")
    assert renamed.got == {"c": "x, a=1", "b": 2}
    assert str(error).startswith("view: ")


def test_errors_as_renames_ours_alone():
    with pytest.raises(LayoutError) as raised, ErrorsAs("reshape", sizes="shape"):
        raise LayoutError("view", "no", sizes=7)
    assert str(raised.value) == "reshape: no; got shape=7"
    assert raised.value.__suppress_context__
    with pytest.raises(KeyError), ErrorsAs("reshape"):
        raise KeyError("sizes")


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles(kind, protocol):
    error = kind("take", "no: such; got index", index=7, log=Log("a\nb"))
    error.seen = "a note"
    found = pickle.loads(pickle.dumps(error, protocol))
    assert type(found) is kind
    assert str(found) == str(error)
    assert found.args == error.args
    assert vars(found) == vars(error)
    assert str(found.renamed("put", index="at")) == str(error.renamed("put", index="at"))


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copies(copied, kind):
    error = kind("take", "no such index", index=[7])
    found = copied(error)
    assert found is not error
    assert (type(found), str(found), vars(found)) == (kind, str(error), vars(error))


class Opens:
    """To unpickle one has effects, as for a device."""

    def __reduce__(self):
        return pytest.fail, ("it is loaded",)


def test_values_with_effects_and_those_that_cannot_be_pickled_go_as_their_repr():
    device, local = Opens(), lambda: 7
    error = LayoutError("op", "it must hold", function=local, devices=(device, [device]), size=3)
    found = pickle.loads(pickle.dumps(error))
    shown = repr(device)
    assert found.got == {"function": repr(local), "devices": (shown, [shown]), "size": 3}
    assert str(found) == str(error)
    assert error.got["function"] is local


def test_others_may_raise_them_with_a_text_alone():
    error = errors.DTypeError("no such thing")
    assert (str(error), error.op, error.rule, error.got) == (
        "no such thing",
        "no such thing",
        "",
        {},
    )
    assert str(pickle.loads(pickle.dumps(error))) == "no such thing"
