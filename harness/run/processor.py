"""What processor computes here, asked of the processor itself by its instruction CPUID: maker, model, vector units.

/proc/cpuinfo is not used, since under an emulator it shows the processor of the host. This module imports only the
standard library, since it also runs inside a step, and as a script by an engine's interpreter. It does not know
manifests or results.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

CODE = bytes.fromhex(
    "53"
    "89f8"
    "89f1"
    "4989d0"
    "0fa2"  # push rbx; eax, ecx = leaf, part; r8 = where to; cpuid
    "418900"
    "41895804"
    "41894808"
    "4189500c"
    "5bc3"  # [r8] = eax, ebx, ecx, edx; pop rbx; ret
)
X86_64 = ("x86_64", "amd64")  # what systems call a machine on which the bytes above are instructions
STATE = bytes.fromhex("31c90f01d0c3")  # ecx = 0; xgetbv; ret: which registers the system keeps for a process
AVX2_STATE, AVX512_STATE = 0x06, 0xE6
MAKERS = {"AuthenticAMD": "AMD", "GenuineIntel": "Intel", "HygonGenuine": "Hygon"}
LINES = re.compile(r"EPYC|Ryzen|Xeon|Core|Atom|Threadripper|QEMU")
# Which generation a family and a model are of, where makers say so: (maker, family, first model, last model).
GENERATIONS = {
    ("AMD", 23, 0x00, 0x2F): "Zen", ("AMD", 23, 0x30, 0xFF): "Zen 2", ("AMD", 25, 0x00, 0x0F): "Zen 3",
    ("AMD", 25, 0x20, 0x5F): "Zen 3", ("AMD", 25, 0x10, 0x1F): "Zen 4", ("AMD", 25, 0x60, 0xAF): "Zen 4",
    ("AMD", 26, 0x00, 0xFF): "Zen 5", ("Intel", 6, 60, 60): "Haswell", ("Intel", 6, 63, 63): "Haswell",
    ("Intel", 6, 79, 79): "Broadwell", ("Intel", 6, 85, 85): "Skylake or Cascade Lake",
    ("Intel", 6, 106, 106): "Ice Lake", ("Intel", 6, 143, 143): "Sapphire Rapids",
    ("Intel", 6, 173, 174): "Granite Rapids", ("Intel", 6, 207, 207): "Emerald Rapids",
}  # fmt: skip


@dataclass(frozen=True)
class Processor:
    """A processor: its name, and its class; equal programs that choose code by the class give equal bytes."""

    name: str  # for a person: `AMD EPYC (Zen 3, AVX2)`
    kind: str  # its class: `AuthenticAMD 25/1 avx2`; empty where nothing may ask it
    vectors: str  # avx512 | avx2 | none

    @property
    def computes(self) -> bool:
        """Whether the processor has AVX2, which every step needs; True if that could not be found out."""
        return self.vectors != "none"


UNKNOWN = Processor("a processor that may not be asked", "", "unknown")


def ask_processor() -> Processor:
    """Return the processor that this process runs on; unknown where the CPU cannot be asked by machine code.

    So does one that is no x86-64, whose instructions those of CPUID are not.
    """
    if os.uname().machine not in X86_64 or sys.maxsize < 1 << 32:  # a process of 32 bits has other registers
        return UNKNOWN
    try:
        return _described(*_asker())
    except (OSError, ImportError, ValueError):
        return UNKNOWN


def _asker() -> tuple[Callable[[int, int], tuple[int, int, int, int]], Callable[[], int]]:
    """Lay the instructions into memory, and give two functions: CPUID of a leaf and its part, and XGETBV."""
    import ctypes  # noqa: PLC0415 - few processes ask
    import mmap  # noqa: PLC0415

    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE + STATE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    registers = ctypes.c_uint32 * 4
    run = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(registers))(start)
    state = ctypes.CFUNCTYPE(ctypes.c_uint32)(start + len(CODE))

    def cpuid(leaf: int, part: int) -> tuple[int, int, int, int]:
        told = registers()
        run(leaf, part, ctypes.byref(told))
        return told[0], told[1], told[2], told[3]

    def kept() -> int:
        _ = page  # it must live as long as what calls into it
        return int(state())

    return cpuid, kept


def _described(cpuid: Callable[[int, int], tuple[int, int, int, int]], kept: Callable[[], int]) -> Processor:
    most, *maker = cpuid(0, 0)
    vendor = _text((maker[0], maker[2], maker[1]))
    signature, _, features, _ = cpuid(1, 0)
    family, model = (signature >> 8) & 15, (signature >> 4) & 15
    if family in (6, 15):
        model += (signature >> 12) & 0xF0
    if family == 15:
        family += (signature >> 20) & 0xFF
    saved = kept() if features >> 27 & 1 else 0
    wide = cpuid(7, 0)[1] if most >= 7 else 0
    fused = features >> 12 & 1 and features >> 28 & 1
    vectors = "none"
    if fused and wide >> 5 & 1 and saved & AVX2_STATE == AVX2_STATE:
        vectors = "avx2"
        if all(wide >> bit & 1 for bit in (16, 17, 28, 30, 31)) and saved & AVX512_STATE == AVX512_STATE:
            vectors = "avx512"
    brand = ""
    if cpuid(0x80000000, 0)[0] >= 0x80000004:
        brand = "".join(_text(cpuid(leaf, 0)) for leaf in range(0x80000002, 0x80000005))
    return Processor(_name(vendor, family, model, vectors, brand), f"{vendor} {family}/{model} {vectors}", vectors)


def _text(words: tuple[int, ...]) -> str:
    data = b"".join(word.to_bytes(4, "little") for word in words)
    return "".join(chr(byte) if 32 <= byte < 127 else " " if byte else "" for byte in data)


def _name(vendor: str, family: int, model: int, vectors: str, brand: str) -> str:
    maker = MAKERS.get(vendor, vendor)
    line = LINES.search(brand)
    known = next(
        (
            name
            for (of, number, first, last), name in GENERATIONS.items()
            if (of, number) == (maker, family) and first <= model <= last
        ),
        f"family {family}, model {model}",
    )
    units = {"avx512": "AVX-512", "avx2": "AVX2", "none": "no AVX2"}[vectors]
    return f"{maker}{f' {line[0]}' if line else ''} ({known}, {units})"


def read_observed(told: Mapping[str, str]) -> Processor:
    """Parse what `python processor.py` printed about the processor that it ran on."""
    return Processor(str(told["name"]), str(told["kind"]), str(told["vectors"]))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(ask_processor())))
