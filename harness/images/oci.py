"""Config and manifest of an OCI image, encoded so that equal images have equal bytes."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence

from harness.digest import canonical, document_digest
from harness.images.licences import OTHERS, Licence, combined
from harness.images.recipe import Recipe

CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
PATH = "/usr/local/bin:/usr/bin:/bin"
STANDARD = "org.opencontainers.image"
LOCK = "llm-harness.image.lock"


def labels(line: Sequence[Recipe], sources: Mapping[str, str], found: Sequence[Licence]) -> dict[str, str]:
    """Make the labels of an image; they enter its ID, so they come from recipes and locks, never from a time or commit.

    The revision is that of the recipes, never of the repository: a commit that changes no image must move no image.
    What a recipe tells people (`about`), and where its lock lies, moves none either; the lock's packages do.
    """
    recipes = [
        one.model_dump(mode="json", exclude_defaults=True, exclude={"about", "requirements"})
        | {"heavy": sorted(one.heavy), "packages": sorted(one.packages)}
        for one in line
    ]
    source = next((one.source for one in reversed(line) if one.source), "")
    debian = [Licence()] if any(one.suite for one in line) else []  # said in texts, not in expressions
    return {
        f"{STANDARD}.revision": f"sha256:{document_digest({'type': 'image-recipe/1', 'recipes': recipes})}",
        f"{STANDARD}.licenses": combined([*debian, *found]) or OTHERS,
        LOCK: f"sha256:{document_digest({'type': 'image-lock/1', 'packages': dict(sources)})}",
        **({f"{STANDARD}.source": source} if source else {}),
    }


def config(
    name: str, epoch: int, user: str, layers: Sequence[tuple[str, str]], more: Mapping[str, str] | None = None
) -> bytes:
    """Encode an image's config from its layers (title and SHA-256, lowest first); its digest is the image ID."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    said = {f"{STANDARD}.created": created, f"{STANDARD}.title": name, **(more or {})}
    return canonical(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "Cmd": ["python3"],
                "Env": [f"PATH={PATH}", "PYTHONDONTWRITEBYTECODE=1"],
                "Labels": said,
                "User": user,
                "WorkingDir": "/",
            },
            "history": [{"created": created, "created_by": f"harness images build: {title}"} for title, _ in layers],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for _, digest in layers]},
        }
    )


def manifest(config: tuple[str, int], layers: Sequence[tuple[str, int]]) -> bytes:
    """Encode an image's manifest from the digests and sizes of its config and its uncompressed layers."""

    def refer(kind: str, digest: str, size: int) -> dict[str, str | int]:
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": size}

    return canonical(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": refer(CONFIG, *config),
            "layers": [refer(LAYER, *layer) for layer in layers],
        }
    )
