"""Puts `test/mechanics`, what tests of several folders are made of, where they can import it."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / 'mechanics'))
