"""LLVM IR that writes rows past the caches, in whole lines.

An ordinary store reads the line of the caches that it changes, and the line takes the place of
another one. For a result that is larger than the caches, both are in vain. The processor writes
past the caches where whole lines are written by stores of their own kind. The rows are therefore
computed in a staging memory, which stays in the caches, and copied from there.
"""

from __future__ import annotations

from .llvm_vectors import SELDOM

# Which kernels call; `copy_ir` defines it.
ROUTINE = 'robot_dynamics_copy_past_caches'

# Of the caches [bytes].
LINE_BYTES = 64
LINE = f'<{LINE_BYTES // 8} x double>'
PAST_CACHES = f'align {LINE_BYTES}, !nontemporal !1'

# Staged rows from so many bytes on are kept apart by a line: rows at a distance of a power of two
# would all compete for the same places in the caches.
APART = 4096


def staged_row(entries: int) -> int:
    """Doubles from a staged row of so many entries to the next."""
    doubles = LINE_BYTES // 8
    return entries if 8 * entries < APART else -(-entries // doubles) * doubles + doubles


def stream_ir(entries: int) -> list[str]:
    """`stream(ptr staged, ptr target, i64 rows)`: rows of so many entries past the caches."""
    # Rows that follow one another are copied together.
    together = '%rows' if staged_row(entries) == entries else '1'
    return [
        f'declare void @{ROUTINE}(ptr, ptr, i64)',
        'define internal void @stream(ptr noalias %staged, ptr noalias %target, i64 %rows) '
        f'{SELDOM} {{',
        f'  %size = mul i64 {together}, {8 * entries}',
        '  br label %copy',
        'copy:',
        '  %row = phi i64 [0, %0], [%next, %copy]',
        f'  %from.at = mul i64 %row, {staged_row(entries)}',
        f'  %to.at = mul i64 %row, {entries}',
        '  %from = getelementptr double, ptr %staged, i64 %from.at',
        '  %to = getelementptr double, ptr %target, i64 %to.at',
        f'  call void @{ROUTINE}(ptr %from, ptr %to, i64 %size)',
        f'  %next = add i64 %row, {together}',
        '  %more = icmp ult i64 %next, %rows',
        '  br i1 %more, label %copy, label %done',
        'done:',
        '  ret void',
        '}',
    ]


def copy_ir() -> str:
    """Definition of `void ROUTINE(void *from, void *to, int64_t size)`; `size` is a multiple of 8.

    It is the same for every kernel, and compiled once. The first and the last line are written by
    ordinary stores where they belong to `to` in part: another thread may be writing what is
    beside.
    """
    lines = [
        'declare i64 @llvm.umin.i64(i64, i64)',
        f'define void @{ROUTINE}(ptr noalias %from, ptr noalias %to, i64 %size) {{',
        '  %address = ptrtoint ptr %to to i64',
        '  %minus = sub i64 0, %address',
        f'  %before = and i64 %minus, {LINE_BYTES - 1}',
        '  %lines.begin = call i64 @llvm.umin.i64(i64 %before, i64 %size)',
        '  %inside = sub i64 %size, %lines.begin',
        f'  %whole = and i64 %inside, {-LINE_BYTES}',
        '  %lines.end = add i64 %lines.begin, %whole',
        '  br label %head.enter',
        *_loop('head', 'line', '0', '%lines.begin', 'double', 'align 8'),
        *_loop('line', 'tail', '%lines.begin', '%lines.end', LINE, PAST_CACHES),
        *_loop('tail', 'end', '%lines.end', '%size', 'double', 'align 8'),
        'end.enter:',
        '  ret void',
        '}',
        '!1 = !{i32 1}',
    ]
    return '\n'.join([*lines, ''])


def _loop(name: str, following: str, begin: str, end: str, kind: str, store: str) -> list[str]:
    """Copies the bytes from `begin` up to, but not with, `end`, a value of `kind` at a time."""
    return [
        f'{name}.enter:',
        f'  br label %{name}.test',
        f'{name}.test:',
        f'  %{name}.at = phi i64 [{begin}, %{name}.enter], [%{name}.next, %{name}.copy]',
        f'  %{name}.more = icmp ult i64 %{name}.at, {end}',
        f'  br i1 %{name}.more, label %{name}.copy, label %{following}.enter',
        f'{name}.copy:',
        f'  %{name}.from = getelementptr i8, ptr %from, i64 %{name}.at',
        f'  %{name}.to = getelementptr i8, ptr %to, i64 %{name}.at',
        f'  %{name}.value = load {kind}, ptr %{name}.from, align 8',
        f'  store {kind} %{name}.value, ptr %{name}.to, {store}',
        f'  %{name}.next = add i64 %{name}.at, {LINE_BYTES if kind == LINE else 8}',
        f'  br label %{name}.test',
    ]
