#!/usr/bin/env bash
# Unpacks dist/*.tar.xz, installs it into a folder with install.sh, builds a C program by pkg-config, and runs it and the tool; then removes the
# installation, and nothing stays.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$PWD/.build/dist/try
rm -rf "$work"
mkdir -p "$work/unpacked"
tar --extract --file dist/mediasdk-*.tar.xz --directory "$work/unpacked"
cd "$work"
prefix=$work/prefix
unpacked/*/install.sh PREFIX="$prefix" > install.log
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
gcc "$prefix/share/doc/mediasdk/examples/C/send.c" $(pkg-config --cflags --libs mediasdk) -lm -o send
timeout 60 ./send > send.log
echo "  Examples/C/send.c builds by pkg-config and runs"
"$prefix/bin/msdk" run --sound --producer testpattern:counter --producer tone --seconds 2 --codec vp8 --renderer recorder:call.webm > run.log
[ -s call.webm ]
echo "  msdk run records a call"
unpacked/*/install.sh uninstall PREFIX="$prefix" > uninstall.log
[ -z "$(find "$prefix" ! -type d)" ]
echo "  install.sh uninstall leaves nothing"
