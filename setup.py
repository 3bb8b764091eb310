"""The packages of the project, found rather than listed, so that a new study needs no line here.

What else there is to say of the project stands in pyproject.toml, which cannot both find packages and name one anew.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["harness", "harness.*"]), "harness_tools"],
    package_dir={"harness_tools": "tools"},
)
