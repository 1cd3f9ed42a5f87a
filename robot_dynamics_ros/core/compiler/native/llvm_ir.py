"""LLVM IR of single steps: literals, instructions, and loads and stores of doubles."""

from __future__ import annotations

import struct

# Fused multiply-add is welcome; NaN and infinity must stay visible.
CONTRACT = ' contract'
FLAGS = f'nsz{CONTRACT}'
# At the end of a module: `!prof !0` then says of a branch that it goes to its first label.
LIKELY = '!0 = !{!"branch_weights", i32 1000000, i32 1}'
INSTRUCTIONS = {
    'neg': f'fneg {FLAGS} double {{}}',
    'add': f'fadd {FLAGS} double {{}}, {{}}',
    'sub': f'fsub {FLAGS} double {{}}, {{}}',
    'mul': f'fmul {FLAGS} double {{}}, {{}}',
    'div': f'fdiv {FLAGS} double {{}}, {{}}',
    'sqrt': f'call {FLAGS} double @llvm.sqrt.f64(double {{}})',
}
# What `INSTRUCTIONS` call.
DECLARATIONS = ['declare double @llvm.sqrt.f64(double)']


def constant(value: float) -> str:
    """An LLVM literal of exactly that double."""
    return f'0x{struct.unpack("<Q", struct.pack("<d", value))[0]:016X}'


def load(target: str, array: str, index: int) -> list[str]:
    """`target` = entry `index` of an array of doubles."""
    return [
        f'  {target}.at = getelementptr double, ptr {array}, i64 {index}',
        f'  {target} = load double, ptr {target}.at',
    ]


def store(value: str, place: str, array: str, index: int) -> list[str]:
    """Entry `index` of an array of doubles = `value`; `place` is a new name for its address."""
    return [
        f'  {place} = getelementptr double, ptr {array}, i64 {index}',
        f'  store double {value}, ptr {place}',
    ]
