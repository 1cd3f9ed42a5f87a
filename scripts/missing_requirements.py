"""Print the locked requirements that the running Python does not have in any version.

Where a ROS 2 distribution is sourced, what it came with stays, whatever its version:
its compiled messages, for one, work with its own NumPy only.
"""

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

LOCK = Path(__file__).with_name('requirements.txt')

# ROS has these under other distribution names, or under none: look for the module.
MODULES = {
    'pin': 'pinocchio',
    'libpinocchio': 'pinocchio',
    'coal': 'pinocchio',
    'libcoal': 'pinocchio',
    'eigenpy': 'pinocchio',
}


def is_present(name: str) -> bool:
    if name in MODULES and find_spec(MODULES[name]):
        return True
    try:
        version(name)
    except PackageNotFoundError:
        return False
    return True


for line in LOCK.read_text().splitlines():
    name = line.partition('==')[0].strip()
    if not name.startswith('#') and not is_present(name):
        print(line)
