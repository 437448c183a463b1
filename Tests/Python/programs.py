"""Programs in Python, run as a user runs them, and what they are run on."""
from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import mediasdk

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples" / "Python"
CLIP = ROOT / "Tests" / "Media" / "bunny-720p25.ivf"
SOUND = CLIP.with_name("bunny-48k-stereo.wav")


def environment() -> dict[str, str]:
    path = os.pathsep.join([str(Path(mediasdk.__file__).parents[1]), str(Path(__file__).parent)])
    return {**os.environ, "PYTHONPATH": path}


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], env=environment(), capture_output=True, text=True, timeout=60)
