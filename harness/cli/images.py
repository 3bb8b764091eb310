"""The verbs of container images: build, verify, ls, rm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli import transfer
from harness.cli.options import Debug, Json, StoreDir, here, store_root
from harness.cli.shelf import data_of, pinned, size_text, unknown
from harness.cli.terminal import progress, say, show, table
from harness.errors import AGREED, DISAGREED, InputError

if TYPE_CHECKING:
    from harness.images.build import Built
    from harness.images.image import Image
    from harness.store.store import Store

app = typer.Typer(
    name="images", help="Build, check and list container images, bit for bit.", rich_markup_mode=None
)  # fmt: skip
Names = Annotated[
    list[str], typer.Argument(help="Images, by the names of their recipes in images/.", show_default=False)
]


def register(parent: typer.Typer) -> None:
    """Add these verbs to the command line, below `images`."""
    for verb in (build, verify, ls, rm):
        app.command()(verb)
    transfer.register(app)
    parent.add_typer(app)


def build(
    names: Names,
    moved: Annotated[
        bool,
        typer.Option("--moved", help="Take the newest Debian packages; gives NAME+moved."),
    ] = False,
    relock: Annotated[
        bool,
        typer.Option("--relock", help="Resolve Debian packages anew, and pin what comes out."),
    ] = False,
    archive: Annotated[
        str,
        typer.Option(
            "--archive",
            envvar="HARNESS_ARCHIVE",
            metavar="URL",
            help="Debian's archive; default: as this machine's apt.",
        ),
    ] = "",
    snapshots: Annotated[
        str,
        typer.Option(
            "--snapshots", envvar="HARNESS_SNAPSHOTS", metavar="URL", help="Who keeps older states of that archive."
        ),
    ] = "",
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Build images from their locks, without a builder or a daemon."""
    from harness.images.build import build as make
    from harness.images.layers.sources import Archive
    from harness.images.recipe import lineage
    from harness.store.store import Store

    if moved and relock:
        raise InputError("--moved and --relock exclude each other", next="--relock pins the newest packages")
    root, asked = here(), Archive(archive, snapshots)
    for name in names:
        lineage(root, name)  # nothing is written for a recipe that is wrong
    where = Store.make(store_root(store, root))
    built = []
    for name in dict.fromkeys(names):
        with progress(f"images build {name}") as tell:
            one = make(where, root, name, tell, moved=moved, relock=relock, archive=asked)
        _remark(one)
        built.append(one)
    data = [_sized(one.image, where, pinned=one.pinned, differs=list(one.differs)) for one in built]
    rows = [[one["name"], one["image_id"], size_text(one["bytes"]), one["pinned"]] for one in data]
    text = table(["image", "image id", "size", "pin"], rows)
    show(data[0] if len(data) == 1 else {"images": data}, text, json)
    return DISAGREED if any(one.differs for one in built) else AGREED


def _remark(built: Built) -> None:
    """Say aloud what a build changed in the project, or in what it is not what was pinned."""
    name = built.image.name
    if built.pinned == "differs":
        say(f"{name} is not what lockfiles/images.json pins: {'; '.join(built.differs)}")
        say(f"  next:  undo the change, or `harness images build {name} --relock` if it is meant")
    elif built.pinned in ("new", "renewed"):
        say(f"lockfiles/images.json pins {name} as {built.image.pin.image_id} now; review and commit it")


def verify(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Images; default: all that are pinned and stored.", show_default=False),
    ] = None,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", envvar="HARNESS_REBUILD", help="Build again and compare layer by layer."),
    ] = False,
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> int:
    """Read stored images again and hold them against their pins."""
    from harness.images.verify import verify as check
    from harness.store.store import Store

    root = here()
    where = Store.open(store_root(store, root))
    with progress("images verify") as tell:
        found = check(where, root, names or [], tell, rebuild=rebuild)
    rows = [[one.name, one.image_id, one.verdict, "; ".join(one.flaws)] for one in found]
    verdict = "disagreed" if any(one.flaws for one in found) else "agreed"
    data = [{**vars(one), "flaws": list(one.flaws), "verdict": one.verdict} for one in found]
    show({"verdict": verdict, "images": data}, table(["image", "image id", "verdict", "what differs"], rows), json)
    return AGREED if verdict == "agreed" else DISAGREED


def ls(store: StoreDir = None, json: Json = False, debug: Debug = False) -> None:
    """List the images of the store."""
    from harness.images.image import MOVED, shelved
    from harness.store.store import Store

    where = Store.open(store_root(store))
    known = pinned()

    def state(image: Image) -> str:
        if image.name.endswith(MOVED):
            return "moved"
        pin = known.get(image.name)
        return "pinned" if pin and pin.image_id == image.pin.image_id else "old"

    data = [_sized(image, where, state=state(image)) for image in shelved(where)]
    rows = [[one["name"], one["image_id"], size_text(one["bytes"]), one["state"]] for one in data]
    show({"images": data}, table(["image", "image id", "size", "state"], rows) if rows else "no images", json)


def rm(
    name: Annotated[str, typer.Argument(help="An image's name, or its ID or the beginning of one.")],
    store: StoreDir = None,
    json: Json = False,
    debug: Debug = False,
) -> None:
    """Take images off the shelf; `harness gc` then frees their bytes."""
    from harness.images.image import shelved, unshelve
    from harness.store.store import Store

    where = Store.open(store_root(store))
    images = shelved(where)
    short = name.removeprefix("sha256:")
    gone = [one for one in images if one.name == name or (len(short) >= 6 and one.config.startswith(short))]
    if not gone:
        raise unknown(where, name, images)
    for image in gone:
        unshelve(where, image)
    lines = [f"{one.name} {one.pin.image_id} is off the shelf" for one in gone]
    data = [{"name": one.name, "image_id": one.pin.image_id} for one in gone]
    show({"removed": data}, "\n".join([*lines, "`harness gc --delete` frees what nothing else uses"]), json)


def _sized(image: Image, store: Store, **more: Any) -> dict[str, Any]:
    """Give an image as scripts see it, with the room that its layers take."""
    paths = [store.blobs.path(one) for one in image.layers]
    return data_of(image, bytes=sum(path.stat().st_size for path in paths if path.exists()), **more)
