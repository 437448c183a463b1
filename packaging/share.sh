#!/usr/bin/env bash
# Writes what an installation has below share/ and what is made from what was built, into OUT/share: the manual pages, the completions of shells,
# and the list of components. usage: OUT=FOLDER packaging/share.sh
set -euo pipefail
cd "$(dirname "$0")/.."
share=${OUT:?}/share
rm -rf "$share"
mkdir -p "$share/doc/mediasdk"
MSDK_TOOL=$PWD/$OUT/msdk python3 -B docs/tools/man_pages.py "$share/man"
packaging/completions.sh "$OUT/msdk" "$share"
packaging/components.py own "$share/doc/mediasdk/mediasdk.spdx.json"
