#!/usr/bin/env bash
# Installs dist/*.whl by pip in clean roots of distributions, without a toolchain, and runs there: a program that sends and receives a frame, and
# the tool. Needs root. usage: packaging/wheel/try.sh [SUITE...]      default: bookworm trixie jammy noble
set -euo pipefail
cd "$(dirname "$0")/../.."
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie jammy noble)
work=$PWD/.build/dist/roots
for suite in "${suites[@]}"; do
  packaging/root.sh "$suite" "$work/$suite-python" ca-certificates python3 python3-venv
  root=$work/$suite-wheel
  rm -rf "$root"
  cp -a "$work/$suite-python" "$root"
  cp dist/*.whl packaging/wheel/first.py Examples/Python/send.py "$root/root"
  inside() { packaging/inside.sh "$root" "$1"; }
  inside "python3 -m venv env"
  started=$SECONDS
  inside "env/bin/pip install --quiet --disable-pip-version-check --no-index *.whl"
  echo "  $suite: pip install in $((SECONDS - started)) s, $(du -sm "$root"/root/env/lib/python3*/site-packages/mediasdk* | awk '{ sum += $1 } END { print sum }') MB"
  inside "env/bin/python first.py"
  inside "env/bin/python send.py 2 > send.log; env/bin/msdk inspect > inspect.log 2>&1
    env/bin/msdk run --sound --producer testpattern:counter --producer tone --codec vp8 --seconds 2 --renderer recorder:call.webm > run.log 2>&1 || { cat run.log; exit 1; }
    test -s call.webm; grep -c org.mediasdk inspect.log | sed 's/\$/ lines of classes/'; grep -i warning inspect.log || true"
  echo "  $suite: the examples run, and the tool records a call"
done
