"""Machine code beside other users of LLVM, other threads, and on small stacks."""

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from robot_dynamics_ros.core.compiler.kernel import Kernel, native_obstacle
from robot_dynamics_ros.core.compiler.program import trace
from robot_dynamics_ros.core.compiler.segments import SEGMENT, cut

pytestmark = pytest.mark.skipif(bool(native_obstacle()), reason=native_obstacle())

# What LLVM makes of a function before and after native kernels were compiled in the process. A
# sum of many products is scheduled differently under most options.
ASSEMBLY = """
import llvmlite.binding as llvm
import numpy as np

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
COUNT = 40
LINES = [f'''  %a{i} = getelementptr double, ptr %x, i64 {i}
  %x{i} = load double, ptr %a{i}''' for i in range(COUNT)]
LINES += [f'  %p{i} = fmul double %x{i}, %x{COUNT - 1 - i}' for i in range(COUNT)]
LINES += ['  %s0 = fadd double %p0, %p0']
LINES += [f'  %s{i} = fadd double %s{i - 1}, %p{i}' for i in range(1, COUNT)]
SOURCE = chr(10).join(['define double @f(ptr %x) {', *LINES, f'  ret double %s{COUNT - 1}', '}'])

def assembly():
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    return machine.emit_assembly(llvm.parse_assembly(SOURCE))

before = assembly()
from robot_dynamics_ros.core.compiler.kernel import Kernel
from robot_dynamics_ros.core.compiler.program import trace

kernel = Kernel(trace('double', lambda x: [2.0 * x[0]], {'x': 1}), {'x': ['x']}, 'native')
assert kernel.call(np.ones(1), None).tolist() == [2.0]
print('same' if assembly() == before else 'changed')
"""


def test_other_users_of_llvm_get_the_code_that_they_got_before():
    result = subprocess.run(
        [sys.executable, '-c', ASSEMBLY], capture_output=True, text=True, timeout=60, check=False
    )
    assert result.stdout.strip() == 'same', result.stderr[-2000:]


def test_kernels_that_are_compiled_at_once_are_not_confused():
    """Threads that change at every line of ours: each function is that of its own program."""
    wrong, barrier = [], threading.Barrier(4)

    def change_at_lines(frame, event, argument):
        if 'compiler' not in frame.f_code.co_filename:
            return None
        if event == 'line':
            time.sleep(0)
        return change_at_lines

    def work(factor):
        sys.settrace(change_at_lines)
        for turn in range(8):
            barrier.wait(30)
            program = trace('scaled', lambda x: [(factor + turn) * x[0]], {'x': 1})  # noqa: B023
            kernel = Kernel(program, {'x': ['x']}, 'native')
            out = np.zeros(1)
            kernel.bind([np.ones(1)], out)()
            called = kernel.call(np.ones(1), None)
            if not out[0] == called[0] == factor + turn:
                wrong.append((factor, turn, out[0], called[0]))

    threads = [threading.Thread(target=work, args=(100.0 * (i + 1),)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def products(count):
    """The k-th entry is x_k x_(count-1-k) and more; all products are known before any is used."""

    def algorithm(x):
        terms = [x[k] * x[count - 1 - k] + float(k) for k in range(count)]
        return [terms[count - 1 - k] - 0.5 * terms[k] for k in range(count)]

    return trace('products', algorithm, {'x': count}), algorithm


def scratch_size(program):
    return cut(program).size


# Scratch memory of the one is on the stack, that of the other is not.
SMALL, BIG = 400, 1200


def test_the_examples_lie_on_both_sides_of_the_limit():
    """`MOST_ON_STACK` of the extension."""
    assert 0 < scratch_size(products(SMALL)[0]) <= 1024 < scratch_size(products(BIG)[0])


@pytest.mark.parametrize('count', [SMALL, BIG])
def test_batches_with_any_scratch_memory(count):
    program, algorithm = products(count)
    kernel = Kernel(program, {'x': list(map(str, range(count)))}, 'native')
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (19, count))
    assert np.abs(kernel.call(x, None) - [algorithm(row) for row in x]).max() < 1e-9


# Runs a kernel many times; counts the results that are not, bit by bit, what is expected.
REPEAT = """
declare i32 @memcmp(ptr, ptr, i64)
define i64 @repeat(ptr %inputs, ptr %out, ptr %expected, i64 %times) {{
  %scratch = alloca [{scratch} x double], align 64
  br label %again
again:
  %i = phi i64 [0, %0], [%next, %again]
  %wrong = phi i64 [0, %0], [%sum, %again]
  %code = call i64 @kernel(ptr %inputs, ptr null, ptr %out, ptr %scratch)
  %order = call i32 @memcmp(ptr %out, ptr %expected, i64 {size})
  %differs = icmp ne i32 %order, 0
  %one = zext i1 %differs to i64
  %sum = add i64 %wrong, %one
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret i64 %sum
}}
"""


@pytest.mark.parametrize('count', [SMALL, BIG])
def test_threads_run_one_kernel_at_once(count):
    """Without the interpreter's lock, which the functions for Python hold."""
    from robot_dynamics_ros.core.compiler.llvm import compile_ir, kernel_ir

    program, algorithm = products(count)
    source, scratch = kernel_ir(program)
    engine = compile_ir(source + REPEAT.format(size=8 * count, scratch=scratch))
    pointers = [ctypes.c_void_p] * 3
    run = ctypes.CFUNCTYPE(ctypes.c_int64, *pointers, ctypes.c_int64)(
        engine.get_function_address('repeat')
    )
    wrong = {}

    def work(seed):
        x = np.random.default_rng(seed).uniform(-1.0, 1.0, count)
        out, expected = np.zeros(count), np.array(algorithm(x))
        inputs = np.array([x.ctypes.data], np.uintp)
        run(inputs.ctypes.data, out.ctypes.data, out.ctypes.data, 1)
        assert np.abs(out - expected).max() < 1e-9
        expected[:] = out
        barrier.wait(30)
        data = [array.ctypes.data for array in (inputs, out, expected)]
        wrong[seed] = run(*data, 100_000_000 // count)

    barrier = threading.Barrier(3)
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == {0: 0, 1: 0, 2: 0}


# The smallest stack that Python gives a thread.
SMALL_STACK = f"""
import threading
import numpy as np
from test_machine_code import BIG, SMALL, products
from robot_dynamics_ros.core.compiler.kernel import Kernel

steps = []
for count in (SMALL, BIG):
    program, algorithm = products(count)
    x, out = np.linspace(-1.0, 1.0, count), np.zeros(count)
    step = Kernel(program, {{'x': list(map(str, range(count)))}}, 'native').bind([x], out)
    steps.append((step, out, np.array(algorithm(x))))
threading.stack_size({32 * 1024})
for step, _, _ in steps:
    thread = threading.Thread(target=step)
    thread.start()
    thread.join()
print([bool(np.abs(out - expected).max() < 1e-9) for _, out, expected in steps])
"""


def test_a_kernel_runs_on_the_smallest_stack_of_a_thread():
    path = ':'.join([os.path.dirname(__file__), *filter(None, sys.path), os.getcwd()])
    result = subprocess.run(
        [sys.executable, '-X', 'faulthandler', '-c', SMALL_STACK],
        env=dict(os.environ, PYTHONPATH=path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.stdout.strip() == '[True, True]', f'{result.returncode}: {result.stderr[-2000:]}'


def test_many_segments_compute_what_the_algorithm_does():
    """Slots of the scratch memory are used again: by later segments, with other values."""
    count = SEGMENT // 4

    def algorithm(x):
        level = list(x)
        for shift in range(1, 14):
            level = [level[k] * 0.5 - level[(k * shift + 1) % count] for k in range(count)]
        return level

    program = trace('mixed', algorithm, {'x': count})
    x = np.random.default_rng(0).uniform(-1.0, 1.0, count)
    kernel = Kernel(program, {'x': [str(k) for k in range(count)]}, 'native')
    assert scratch_size(program) < 3 * count < len(program.steps())
    assert np.abs(kernel.call(x, None) - algorithm(x.tolist())).max() < 1e-9
