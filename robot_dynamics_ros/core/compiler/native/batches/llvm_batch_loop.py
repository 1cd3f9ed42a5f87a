"""LLVM IR of the loop over a batch: inputs into vectors, block by block of as many as fit in one.

The function `batch` of `llvm_batch` consists of this and of a function `compute`.
"""

from __future__ import annotations

import math

from ...program import Program
from ...segments import pieces
from ..llvm_kernel import DONE, OUT_OF_MEMORY
from ..llvm_sine import RANGE
from .llvm_stream import staged_row, stream_ir
from .llvm_transpose import columns_of, fetch, rows_at
from .llvm_vectors import SELDOM, VectorCode

# What a batch returns where an input is not finite, or not smaller than RANGE.
UNREADABLE = -3

# Bytes of scratch memory that a batch takes from the stack: Python's smallest stack of a thread
# has 32 KiB. A larger scratch memory is allocated once in each call, whatever the samples.
MOST_ON_STACK = 8192

# Of vectors in memory [bytes]; `malloc` may align less.
ALIGNMENT = 64

# Bytes of a block of rows that is fetched while a block before it is computed, so many before: the
# processor foresees smaller ones by itself; of larger ones the first bytes would be gone again.
FETCHED, AHEAD = range(1024, 16384), 4

BATCH = 'ptr %inputs, ptr %strides, ptr %result, i64 %samples, i1 zeroext %past.caches, ptr %row'


def loop_ir(program: Program, first_of: dict[str, int], lanes: int, size: int) -> list[str]:
    """Definition of `batch`.

    Args:
        program: to compute.
        first_of: slot of the first entry of each input in the scratch memory.
        lanes: doubles in a vector.
        size: vectors of the scratch memory.
    """
    sizes = {_pack_of(k, size, lanes): size for k, size in enumerate(program.inputs.values())}
    return [
        'declare i64 @llvm.umin.i64(i64, i64)',
        'declare void @llvm.prefetch.p0(ptr, i32, i32, i32)',
        *stream_ir(math.prod(program.shape)),
        *_spread(lanes),
        *(line for name, entries in sizes.items() for line in _pack(name, entries, lanes)),
        *_blocks(program, first_of, lanes, size),
        *_batch(8 * lanes * (size + staged_row(math.prod(program.shape)))),
    ]


def _spread(lanes: int) -> list[str]:
    """`spread(ptr offsets, i64 stride, i64 count)`: from the row of the first lane to the others.

    In bytes. Lanes from `count` on have the row of the last before.
    """
    return [
        f'define internal void @spread(ptr %offsets, i64 %stride, i64 %count) {SELDOM} {{',
        '  %last = sub i64 %count, 1',
        '  %step = mul i64 %stride, 8',
        '  br label %lane',
        'lane:',
        '  %i = phi i64 [0, %0], [%next, %lane]',
        '  %index = call i64 @llvm.umin.i64(i64 %i, i64 %last)',
        '  %offset = mul i64 %index, %step',
        '  %place = getelementptr i64, ptr %offsets, i64 %i',
        '  store i64 %offset, ptr %place',
        '  %next = add i64 %i, 1',
        f'  %more = icmp ult i64 %next, {lanes}',
        '  br i1 %more, label %lane, label %done',
        'done:',
        '  ret void',
        '}',
    ]


def _is_fetched(entries: int, lanes: int) -> bool:
    """Whether a block of rows of so many entries is fetched before it is needed."""
    return 8 * entries * lanes in FETCHED


def _pack_of(k: int, entries: int, lanes: int) -> str:
    """The function that packs input k.

    The processor foresees what each load of the code reads next. Where it fetches the rows, each
    input has loads of its own: from loads that read one input after the other it would foresee
    what nobody reads.
    """
    return f'pack.rows.{entries}' if _is_fetched(entries, lanes) else f'pack.input.{k}'


def _pack(name: str, entries: int, lanes: int) -> list[str]:
    """`i1 name(ptr row, ptr next, ptr offsets, ptr vectors)`: rows of `entries` into vectors.

    Large rows of a later block, at `next`, are fetched into the caches meanwhile.

    False where the norm of a row is not smaller than RANGE, as it is if an entry is not finite.
    """
    code = VectorCode(lanes)
    rows = rows_at(code, '%row', '%offsets')
    if _is_fetched(entries, lanes):
        fetch(code, rows_at(code, '%next', '%offsets'), entries)
    total = code.every(0.0)
    for piece in pieces(entries, lanes):
        for index, vector in zip(piece, columns_of(code, rows, piece), strict=True):
            code.store(vector, '%vectors', index)
            total = code.fma(vector, vector, total)
    small = code.all_hold('olt', total, RANGE**2)
    return [
        f'define internal i1 @{name}'
        '(ptr noalias %row, ptr %next, ptr noalias %offsets, ptr noalias %vectors) #0 {',
        *code.lines,
        f'  ret i1 {small}',
        '}',
    ]


def _blocks(program: Program, first_of: dict[str, int], lanes: int, size: int) -> list[str]:
    """`i64 blocks(..., ptr scratch)`: the batch, in a scratch memory; there is a sample.

    Rows that are written past the caches are staged behind the vectors of the scratch memory.
    """
    count = len(program.inputs)
    offsets = f'[{lanes} x i64]'
    entries = math.prod(program.shape)
    lines = [
        f'define internal i64 @blocks({BATCH}, ptr noalias %scratch) {SELDOM} {{',
        f'  %offsets = alloca [{count + 1} x {offsets}], align {ALIGNMENT}',
        f'  %of.result = getelementptr {offsets}, ptr %offsets, i64 {count}',
        f'  %staged = getelementptr <{lanes} x double>, ptr %scratch, i64 {size}',
        f'  %result.stride = select i1 %past.caches, i64 {staged_row(entries)}, i64 {entries}',
    ]
    spread = ['  call void @spread(ptr %of.result, i64 %result.stride, i64 %count)']
    for k in range(count):
        lines += [
            f'  %offsets.{k} = getelementptr {offsets}, ptr %offsets, i64 {k}',
            f'  %input.at.{k} = getelementptr ptr, ptr %inputs, i64 {k}',
            f'  %input.{k} = load ptr, ptr %input.at.{k}',
            f'  %stride.at.{k} = getelementptr i64, ptr %strides, i64 {k}',
            f'  %stride.{k} = load i64, ptr %stride.at.{k}',
            f'  %moves.{k} = icmp ne i64 %stride.{k}, 0',
        ]
        spread.append(f'  call void @spread(ptr %offsets.{k}, i64 %stride.{k}, i64 %count)')
    lines += [
        '  br label %measure',
        # Before the first block, and before the last if it has fewer samples.
        'measure:',
        '  %place = phi i64 [0, %0], [%next, %shorter]',
        '  %rest = sub i64 %samples, %place',
        f'  %count = call i64 @llvm.umin.i64(i64 %rest, i64 {lanes})',
        *spread,
        # In a staging memory they stay.
        '  br i1 %past.caches, label %stage, label %block',
        'stage:',
        '  call void @constants(ptr %staged, ptr %of.result)',
        '  br label %block',
        'block:',
        '  %first = phi i64 [%place, %measure], [%place, %stage], [%next, %advance]',
        '  %is.first = icmp eq i64 %first, 0',
    ]
    for k, (name, size) in enumerate(program.inputs.items()):
        lines += [
            f'  %wanted.{k} = or i1 %moves.{k}, %is.first',
            f'  br i1 %wanted.{k}, label %pack.{k}, label %packed.{k}',
            f'pack.{k}:',
            f'  %skipped.{k} = mul i64 %first, %stride.{k}',
            f'  %row.{k} = getelementptr double, ptr %input.{k}, i64 %skipped.{k}',
            f'  %ahead.{k} = mul i64 %stride.{k}, {AHEAD * lanes}',
            f'  %next.{k} = getelementptr double, ptr %row.{k}, i64 %ahead.{k}',
            f'  %vectors.{k} = getelementptr <{lanes} x double>, ptr %scratch, '
            f'i64 {first_of[name]}',
            f'  %small.{k} = call i1 @{_pack_of(k, size, lanes)}'
            f'(ptr %row.{k}, ptr %next.{k}, ptr %offsets.{k}, ptr %vectors.{k})',
            f'  br i1 %small.{k}, label %packed.{k}, label %stop',
            f'packed.{k}:',
        ]
    stops = ', '.join(f'[{UNREADABLE}, %pack.{k}]' for k in range(count))
    return [
        *lines,
        f'  %skipped = mul i64 %first, {entries}',
        '  %target = getelementptr double, ptr %result, i64 %skipped',
        '  %place.of.rows = select i1 %past.caches, ptr %staged, ptr %target',
        '  %code = call i64 @compute(ptr %scratch, ptr %place.of.rows, ptr %of.result)',
        f'  %computed = icmp eq i64 %code, {DONE}',
        '  br i1 %computed, label %written, label %stop',
        'written:',
        '  br i1 %past.caches, label %stream, label %complete',
        'complete:',
        '  call void @constants(ptr %target, ptr %of.result)',
        '  br label %advance',
        'stream:',
        '  call void @stream(ptr %staged, ptr %target, i64 %count)',
        '  br label %advance',
        'stop:',
        f'  %reason = phi i64 {stops}, [%code, %packed.{count - 1}]',
        '  store i64 %first, ptr %row',
        '  ret i64 %reason',
        'advance:',
        f'  %next = add i64 %first, {lanes}',
        '  %left = sub i64 %samples, %next',
        f'  %whole = icmp sge i64 %left, {lanes}',
        '  br i1 %whole, label %block, label %end',
        'end:',
        '  %some = icmp sgt i64 %left, 0',
        '  br i1 %some, label %shorter, label %done',
        'shorter:',
        '  br label %measure',
        'done:',
        f'  ret i64 {DONE}',
        '}',
    ]


def _batch(size: int) -> list[str]:
    """Gives `blocks` its scratch memory, of `size` bytes."""
    begin = [
        f'define i64 @batch({BATCH}) {SELDOM} {{',
        '  %some = icmp sgt i64 %samples, 0',
        '  br i1 %some, label %begin, label %none',
        'none:',
        f'  ret i64 {DONE}',
        'begin:',
    ]
    run = [
        f'  %code = call i64 @blocks({BATCH}, ptr %scratch)',
        # Orders the stores past the caches before those by which another thread learns of them.
        '  fence seq_cst',
    ]
    if size <= MOST_ON_STACK:
        scratch = f'  %scratch = alloca [{size} x i8], align {ALIGNMENT}'
        return [*begin, scratch, *run, '  ret i64 %code', '}']
    return [
        'declare ptr @malloc(i64)',
        'declare void @free(ptr)',
        *begin,
        f'  %memory = call ptr @malloc(i64 {size + ALIGNMENT})',
        '  %failed = icmp eq ptr %memory, null',
        '  br i1 %failed, label %no.memory, label %compute',
        'no.memory:',
        '  store i64 0, ptr %row',
        f'  ret i64 {OUT_OF_MEMORY}',
        'compute:',
        '  %address = ptrtoint ptr %memory to i64',
        f'  %beyond = add i64 %address, {ALIGNMENT - 1}',
        f'  %aligned = and i64 %beyond, {-ALIGNMENT}',
        '  %scratch = inttoptr i64 %aligned to ptr',
        *run,
        '  call void @free(ptr %memory)',
        '  ret i64 %code',
        '}',
    ]
