"""The table at the end, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ledger import Ledger
from memory import Memory
from rules import Rules
from schedule import Row
from starvation import Starvation

MEMORY_BOUND = 5.0
"""How much a node may grow after the first minute, and after each fault has come once [MiB]."""


def tell(
    rows: Sequence[Row], rules: Rules, ledger: Ledger, starvation: Starvation, memory: Memory
) -> bool:
    """Print everything; whether all is as it should be."""
    failures = [
        *_faults(rows),
        *_rules(rules),
        *_cycles(ledger, rules, starvation),
        *_memory(memory),
    ]
    print()
    for failure in failures:
        print(f'soak: {failure}')
    print(f'soak: {"FAILED" if failures else "passed"}')
    return not failures


def _faults(rows: Sequence[Row]) -> list[str]:
    width = max(len(row.fault.name) for row in rows)
    print(f'\n{"fault":{width}}  injected  guard seen  recovered  recognised by')
    for row in rows:
        counts = f'{row.injected:8}  {row.seen:10}  {row.recovered:9}'
        print(f'{row.fault.name:{width}}  {counts}  {row.fault.guard}')
    return [f'{row.fault.name}: {row.missed}' for row in rows if not row.passed]


def _rules(rules: Rules) -> list[str]:
    print(f'\n{rules.judged} commands; broken rules:')
    for rule in rules.NAMES:
        print(f'  {rule:18}{rules.broken[rule]:8}')
    steps = ', '.join(f'{step:.3g}' for step in rules.worst_step)
    print(f'largest steps from one command to the next: {steps} N m')
    return [
        f'{rule} broken {rules.broken[rule]} times: {rules.first[rule]}' for rule in rules.first
    ]


def _cycles(ledger: Ledger, rules: Rules, starvation: Starvation) -> list[str]:
    counts = ledger.counts
    print(f'\n{counts["good"]} good states: {counts["answered"]} answered,', end=' ')
    print(f'{counts["burst"]} not as a newer one was,', end=' ')
    print(f'{counts["provoked"]} not while a fault silenced the node, {counts["lost"]} lost')
    share = starvation.long / max(1, starvation.looks)
    print(f'{counts["starved"]} more not while the machine was too busy: {share:.0%} of the time')
    print(f'{counts["bad"]} bad states: {counts["bad_answered"]} answered')
    failures = []
    if not rules.judged or not counts['answered']:
        failures.append('no states were answered')
    if counts['lost']:
        where = ', '.join(f'{n} during {what}' for what, n in ledger.lost_during.most_common())
        failures.append(f'{counts["lost"]} cycles lost that no fault provoked: {where}')
    if counts['bad_answered']:
        failures.append(f'{counts["bad_answered"]} bad states were answered')
    return failures


def _memory(memory: Memory) -> list[str]:
    growth = memory.growth
    if growth is None:
        print(f'\nmemory: {memory.last:.1f} MiB; growth not measured, the run was too short')
        return []
    print(
        f'\nmemory: {memory.last:.1f} MiB, {growth:+.2f} MiB since each fault had come once',
        end=' ',
    )
    print(f'(bound {MEMORY_BOUND:g})')
    return [f'memory grew by {growth:.1f} MiB'] if growth > MEMORY_BOUND else []
