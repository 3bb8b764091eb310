"""The environment in a key depends on what is installed, and not on where, by whom, or on who asks."""

import json
import os
import shutil
from pathlib import Path

import pytest

from harness.digest import sha256
from harness.run.environment import NUMERICS, machine_facts, step_environment
from harness.run.installed import checked
from harness.run.installed.packages import build_environment

PACKAGES = {
    ("alpha", "1.0"): ["alpha/__init__.py,sha256=aaa,10", "alpha/core.py,sha256=bbb,20"],
    ("Beta_Tools", "2.1.post1"): ["beta.py,sha256=ccc,30"],
}


def install(site, packages=PACKAGES, scripts="../../../bin", installer="pip"):
    """Write what an installer leaves: one folder a package, its RECORD naming also what differs from place to place."""
    for (name, version), files in packages.items():
        info = f"{name}-{version}.dist-info"
        (site / info).mkdir(parents=True)
        (site / info / "INSTALLER").write_text(installer)
        record = [
            f"{scripts}/{name},sha256=of-a-script-with-a-path-in-it,99",
            *files,
            f"{name}/__pycache__/core.cpython-311.pyc,,",
            f"{info}/INSTALLER,sha256={sha256(installer.encode())},4",
            f"{info}/RECORD,,",
        ]
        (site / info / "RECORD").write_text("\n".join(record) + "\n")
    return site


@pytest.fixture
def site(tmp_path):
    return install(tmp_path / "venv" / "lib" / "site-packages")


def without(packages, name):
    return {key: files for key, files in packages.items() if key[0] != name}


def test_it_does_not_depend_on_where_packages_lie_or_who_installed_them(site, tmp_path):
    other = install(tmp_path / "elsewhere", scripts="../../../../opt/bin", installer="uv")
    assert build_environment(other) == build_environment(site)
    shutil.copytree(site, tmp_path / "copy" / "site")
    assert build_environment(tmp_path / "copy" / "site") == build_environment(site)


def test_it_does_not_depend_on_the_order_of_a_record_or_on_compiled_files(site):
    before = build_environment(site)
    record = site / "alpha-1.0.dist-info" / "RECORD"
    lines = record.read_text().splitlines()
    record.write_text("\n".join([*reversed(lines), "alpha/__pycache__/other.pyc,,"]) + "\n")
    assert build_environment(site) == before


@pytest.mark.parametrize(
    "packages",
    [
        {**without(PACKAGES, "alpha"), ("alpha", "1.0.1"): PACKAGES["alpha", "1.0"]},
        {**PACKAGES, ("alpha", "1.0"): ["alpha/__init__.py,sha256=aaa,10", "alpha/core.py,sha256=bbc,20"]},
        {**PACKAGES, ("alpha", "1.0"): ["alpha/__init__.py,sha256=aaa,10"]},
        {**PACKAGES, ("gamma", "1"): []},
        without(PACKAGES, "Beta_Tools"),
    ],
    ids=["version", "file", "fewer files", "more packages", "fewer packages"],
)
def test_it_depends_on_every_package_its_version_and_its_files(site, tmp_path, packages):
    assert build_environment(install(tmp_path / "other", packages)) != build_environment(site)


def test_it_depends_on_what_lies_loose_among_the_packages(site):
    seen = [build_environment(site)]
    for name, text in (("loose.py", "a"), ("loose.py", "b"), ("folder/inner.py", "a"), ("folder/inner.py", "b")):
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(text)
        seen.append(build_environment(site))
    assert len(set(seen)) == len(seen)


def test_it_names_the_interpreter_and_the_packages(site):
    found = json.loads(build_environment(site))
    assert set(found) >= {"type", "python", "implementation", "platform", "packages"}
    assert {name: one["version"] for name, one in found["packages"].items()} == {
        "alpha": "1.0",
        "beta_tools": "2.1.post1",
    }
    assert str(site) not in build_environment(site).decode()


def test_the_harness_itself_is_not_a_package_of_the_environment(site, tmp_path):
    with_it = install(tmp_path / "other", {**PACKAGES, ("llm_harness", "0.1.0"): ["x.py,sha256=x,1"]})
    assert build_environment(with_it) == build_environment(site)  # it stands in the code closure


def test_it_is_the_same_each_time_and_whatever_the_shell_holds(monkeypatch, tmp_path):
    def spelled():
        return checked.check_installed(checked.import_paths(), full=False).environment

    before = spelled()
    for name, value in {"TZ": "Asia/Tokyo", "LC_ALL": "tr_TR", "HOME": "/nowhere", "PYTHONPATH": "/x"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    assert spelled() == before
    assert "pydantic" in json.loads(before)["packages"]


def test_a_step_sees_the_fixed_variables_and_nothing_of_the_shell(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    seen = step_environment(tmp_path)
    assert set(seen) == {*NUMERICS, "PATH", "HOME", "TMPDIR"}
    assert (seen["PYTHONHASHSEED"], seen["TZ"], seen["LC_ALL"], seen["OMP_NUM_THREADS"]) == ("0", "UTC", "C.UTF-8", "1")
    assert seen["HOME"] == seen["TMPDIR"] == str(tmp_path / "tmp")


def test_the_facts_of_a_record_name_no_host_no_user_and_no_path():
    assert set(machine_facts()) == {"python", "kernel", "machine", "cpu", "cores", "processor"}
    assert not {os.uname().nodename, str(Path.home()), str(Path.cwd())} & set(map(str, machine_facts().values()))


def test_what_lies_loose_among_the_packages_is_part_of_the_environment(tmp_path):
    bare = build_environment(tmp_path)
    (tmp_path / "random.py").write_text("loose = 1\n")
    one = build_environment(tmp_path)
    (tmp_path / "random.py").write_text("loose = 2\n")
    assert len({bare, one, build_environment(tmp_path)}) == 3
