"""torch on the CPU gives the same bytes on other processors: what would not is replaced, refused by name, or told."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest
from needs import OnceUsed, needs
from numerics.arrays import EXACT, called_functions, tried_names
from numerics.walk import PROCESSORS, TABLE, differing, try_operations, walked_module
from support_draws import drawn
from support_models import REPOSITORY, make_model

from harness.errors import MissingError
from harness.models.local.load import open_causal
from harness.models.local.torch_setup import BY_NUMPY, install_portable_operations, is_tried_operation, watch_operations
from harness.models.local.walked import OPERATIONS
from harness.run.environment import NUMERICS

needs("torch", "transformers")
np, torch = pytest.importorskip("numpy"), OnceUsed("torch")
FLOATS = ("float32", "float64", "float16", "bfloat16")


@pytest.fixture(autouse=True)
def replaced():
    install_portable_operations()


def call(name, form, given):
    """Call an operation as a new tensor, in place, or into `out`."""
    if form == "new":
        return getattr(torch, name)(given)
    if form == "in place":
        return getattr(given.clone(), f"{name}_")()
    return getattr(torch, name)(given, out=torch.empty(0, dtype=given.dtype))


@pytest.mark.parametrize("name", BY_NUMPY)
@pytest.mark.parametrize("form", ["new", "in place", "out"])
def test_a_replaced_operation_gives_numpys_numbers(name, form):
    plain = torch.linspace(-0.5, 3, 24, dtype=torch.float64).reshape(4, 6)
    layouts = {
        "rows": plain, "columns": plain.T, "every other": plain[::2, ::3], "none": plain[:0], "one": plain[1, 1],
        "repeated": plain[0].expand(3, 6),
    }  # fmt: skip
    for dtype in (getattr(torch, one) for one in FLOATS):
        for layout, wide in layouts.items():
            given = wide.to(dtype) if layout != "repeated" else wide[0].to(dtype).expand(3, 6)
            as_float = given.float() if dtype in (torch.float16, torch.bfloat16) else given
            with np.errstate(all="ignore"):
                wanted = torch.from_numpy(np.asarray(getattr(np, BY_NUMPY[name])(as_float.numpy()))).to(dtype)
            found = call(name, form, given)
            assert found.dtype == dtype and torch.equal(found.nan_to_num(7), wanted.nan_to_num(7)), (dtype, layout)
            with torch.inference_mode():
                assert torch.equal(call(name, form, given.clone()).nan_to_num(7), found.nan_to_num(7))


@pytest.mark.parametrize("name", BY_NUMPY)
def test_a_replaced_operation_takes_what_torch_takes(name):
    function = getattr(torch, name)
    assert function(torch.tensor([0, 1])).dtype == torch.float32
    assert function(torch.tensor([True])).shape == (1,)
    number = torch.tensor([0.3 + 0.2j], dtype=torch.complex64)
    assert torch.allclose(function(number), function(number.to(torch.complex128)).to(torch.complex64))
    assert torch.allclose(function(number.conj()), function(number).conj())
    assert torch.vmap(function)(torch.rand(3, 2)).shape == (3, 2)
    with pytest.raises(RuntimeError, match="cannot be cast"):
        getattr(torch.tensor([0, 1]), f"{name}_")()
    with pytest.raises(RuntimeError, match="single memory location"):
        getattr(torch.rand(1).expand(3), f"{name}_")()


@pytest.mark.parametrize("name", BY_NUMPY)
def test_derivatives_of_a_replaced_operation_are_right(name):
    given = torch.tensor([0.2, 0.5, 0.9], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(getattr(torch, name), given)
    assert torch.autograd.gradgradcheck(getattr(torch, name), given)
    assert torch.autograd.gradcheck(lambda x: getattr(x.clone(), f"{name}_")(), given)


def test_a_square_root_is_taken_exactly_whoever_asks_for_it():
    given = torch.rand(1000) + 0.01
    exact = torch.from_numpy(np.sqrt(given.numpy()))
    assert torch.equal(given**0.5, exact) and torch.equal(given.clone().pow_(0.5), exact)
    assert torch.equal(torch.pow(given, 0.5, out=torch.empty(0)), exact)
    assert torch.equal(torch._foreach_sqrt([given])[0], exact)
    assert torch.equal(given**3.0, given * given * given) and torch.equal(
        torch.arange(4) ** 2, torch.tensor([0, 1, 4, 9])
    )
    steep = given.double().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: x**0.5, steep[:4].detach().requires_grad_())


def test_cholesky_is_that_of_float64_rounded():
    drawn = torch.randn(130, 130, generator=torch.Generator().manual_seed(0))
    given = drawn @ drawn.T + 130 * torch.eye(130)
    wide = torch.linalg.cholesky(given.double())
    assert torch.equal(torch.linalg.cholesky(given), wide.float())
    assert torch.equal(torch.linalg.cholesky(given, out=torch.empty(0)), wide.float())
    assert torch.equal(torch.linalg.cholesky(given, upper=True), wide.float().T)
    assert torch.linalg.cholesky_ex(-given).info == 1
    with pytest.raises(RuntimeError, match="not positive-definite"):
        torch.linalg.cholesky(-given)
    small = drawn[:3, :3].double().requires_grad_()
    assert torch.autograd.gradcheck(lambda x: torch.linalg.cholesky(x @ x.T + torch.eye(3, dtype=x.dtype)), small)


def test_convolutions_do_not_go_by_what_nnpack_likes():
    assert torch.backends.nnpack.set_flags(False) == (False,)


def fitting(refused):
    """Give a model whose graph calls what differs between processors, and something that nobody walked."""

    class Fitting(torch.nn.Module):  # type: ignore[misc, name-defined]  # loaded when used
        config = type("Config", (), {"model_type": "fitting"})

        def forward(self, input_ids):
            given = torch.eye(3) + input_ids
            return torch.linalg.lstsq(given, given).solution if refused else torch.special.bessel_j0(given)

    return Fitting()


def test_an_operation_that_differs_is_refused_by_its_name():
    model = fitting(refused=True)
    watch_operations(model)
    with torch.inference_mode(), pytest.raises(MissingError) as bad:
        model(torch.tensor([[1]]))
    assert "linalg_lstsq" in bad.value.what and "fitting" in bad.value.where and "numerics: machine" in bad.value.next
    with torch.inference_mode():  # and the watch has ended
        assert torch.ones(1).add(1) == 2


def test_an_operation_that_nobody_walked_is_told():
    model = fitting(refused=False)
    told = watch_operations(model)
    with torch.inference_mode(), pytest.warns(UserWarning, match=r"special_bessel_j0 float32: nobody has held"):
        model(torch.tensor([[1]]))
    assert told == ["special_bessel_j0 float32"]


@pytest.mark.long
def test_watched_passes_give_the_bytes_of_the_others(tmp_path):
    loaded = open_causal(make_model(tmp_path / "m"), {"batch": "reference", "dtype": "float32"})
    with torch.inference_mode():
        passes = [loaded.model(torch.tensor([[65, 66, 67]]), use_cache=False).logits for _ in range(4)]
    assert all(torch.equal(one, passes[0]) for one in passes[1:])
    assert loaded.facts["unwalked"] == []


@pytest.mark.long
def test_a_machine_step_is_left_to_torch(tmp_path):
    program = (
        "import torch; from harness.models.local.torch_setup import set_deterministic; set_deterministic(True); "
        "print(torch.linalg.lstsq(torch.eye(3), torch.eye(3)).solution.sum().item())"
    )
    env = {**NUMERICS, "HARNESS_NUMERICS": "machine", "PYTHONPATH": str(REPOSITORY), "PATH": "/usr/bin:/bin"}
    done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"


def test_the_table_of_what_was_walked_holds_what_is_replaced():
    assert all(is_tried_operation(f"{name} float32") and is_tried_operation(f"{name} float64") for name in BY_NUMPY)
    assert (
        not is_tried_operation("linalg_lstsq float32") and not is_tried_operation("mm int8") and len(OPERATIONS) > 150
    )


@pytest.mark.long
def test_each_function_of_numpy_and_scipy_that_the_harness_calls_is_walked():
    """Add it to tests/numerics/arrays.py, and walk: `make walk`."""
    assert called_functions() - EXACT - tried_names() == set()


@pytest.mark.long
def test_the_committed_table_is_what_the_walk_finds():
    assert TABLE.read_text() == walked_module(try_operations("long"), [])


def equal_on(processor, form):
    if not shutil.which("qemu-x86_64"):
        pytest.skip("qemu-user is not installed here")
    native, emulated = try_operations(form), try_operations(form, processor)
    assert native["fingerprint"] == emulated["fingerprint"]
    assert all(name.startswith("own ") for name in differing(native, emulated))


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("processor", drawn(PROCESSORS, 1))
def test_each_operation_gives_the_bytes_of_another_processor(processor):
    equal_on(processor, "few")  # models, a training and more inputs: `make walk`, which takes far longer
