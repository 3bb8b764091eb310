"""The packages of the project, found rather than listed, so that a new study needs no line here; and what is shipped.

What else there is to say of the project stands in pyproject.toml, which cannot both find packages and name one anew,
nor take along files that lie outside a package.
"""

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

# What a project outside the repository needs of it: the wheel holds it below harness/shipped/, in the same folders.
SHIPPED = (
    "assets/*/*", "certificates/*.json", "docs/*.md", "docs/*/*.md", "images/*/*", "lockfiles/image-*.txt",
    "lockfiles/images.json", "lockfiles/sdists.txt",
)  # fmt: skip


class BuildWithShipped(build_py):
    """The build of the packages, with the shipped files; an editable install reads those where they are."""

    def run(self) -> None:
        """Build the packages, then copy the shipped files beside them."""
        super().run()
        if not self.editable_mode:
            root = Path(__file__).parent
            for path in (path for pattern in SHIPPED for path in sorted(root.glob(pattern)) if path.is_file()):
                target = Path(self.build_lib, "harness", "shipped", path.relative_to(root))
                self.mkpath(str(target.parent))
                self.copy_file(str(path), str(target))


setup(
    packages=[*find_packages(include=["harness", "harness.*"]), "harness_tools"],
    package_dir={"harness_tools": "tools"},
    cmdclass={"build_py": BuildWithShipped},
)
