"""The two documents of an OCI image, spelled so that equal images have equal bytes."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from harness.digest import canonical

CONFIG = "application/vnd.oci.image.config.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar"
PATH = "/usr/local/bin:/usr/bin:/bin"


def config(name: str, epoch: int, user: str, layers: Sequence[tuple[str, str]]) -> bytes:
    """Spell an image's config from its layers (title and SHA-256, lowest first); its digest is the image ID."""
    created = datetime.datetime.fromtimestamp(epoch, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {"org.opencontainers.image.created": created, "org.opencontainers.image.title": name}
    return canonical(
        {
            "architecture": "amd64",
            "os": "linux",
            "created": created,
            "config": {
                "Cmd": ["python3"],
                "Env": [f"PATH={PATH}", "PYTHONDONTWRITEBYTECODE=1"],
                "Labels": labels,
                "User": user,
                "WorkingDir": "/",
            },
            "history": [{"created": created, "created_by": f"harness images build: {title}"} for title, _ in layers],
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}" for _, digest in layers]},
        }
    )


def manifest(config: tuple[str, int], layers: Sequence[tuple[str, int]]) -> bytes:
    """Spell an image's manifest from the digests and sizes of its config and its uncompressed layers."""

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
