#!/usr/bin/env bash
# What an installation consists of, a line for each file:
#   MODE|SOURCE|PLACE      copied; SOURCE is a path from the top of the tree, PLACE one below bin, lib, include or share
#   fill|SOURCE|PLACE      copied with @PREFIX@, @LIBDIR@, @UP@, @VERSION@ and @ABI@ replaced
#   link|TARGET|PLACE
# usage: OUT=FOLDER packaging/manifest.sh     OUT: where the library, the tool and the plugins were built
set -euo pipefail
cd "$(dirname "$0")/.."
out=${OUT:?}
. packaging/versions

library() { # NAME: a shared library and its links
  echo "755|$out/$1.so|lib/$1.so.$version"
  echo "link|$1.so.$version|lib/$1.so.$soversion"
  echo "link|$1.so.$soversion|lib/$1.so"
}
each() { # MODE PLACE FILE...
  local mode=$1 place=$2 file
  shift 2
  for file; do [ ! -f "$file" ] || echo "$mode|$file|$place/$(basename "$file")"; done
}

library libmediasdk
library libmediasdk-feeder
echo "644|$out/libmediasdk-feeder.a|lib/libmediasdk-feeder.a"
each 644 include/mediasdk Include/mediasdk/*.h
each 755 "lib/mediasdk/plugins-$abi" "$out"/plugins/*.so
each 755 bin "$out/msdk"
each 755 lib/mediasdk "$out/msdk-plugin-host"
for file in mediasdk mediasdk-feeder; do echo "fill|Bindings/C/$file.pc.in|lib/pkgconfig/$file.pc"; done
for file in mediasdkConfig mediasdkConfigVersion; do echo "fill|packaging/cmake/$file.cmake.in|lib/cmake/mediasdk/$file.cmake"; done
echo "644|Examples/Plugin/plugin.map|lib/cmake/mediasdk/plugin.map"
each 644 share/doc/mediasdk README.md CHANGELOG.md SECURITY.md LICENSE
each 644 share/doc/mediasdk/examples/C Examples/C/*
each 644 share/doc/mediasdk/examples/Python Examples/Python/*.py
each 644 share/doc/mediasdk/examples/Plugin Examples/Plugin/*
# Made by packaging/share.sh: manual pages, completions of shells, a list of the components.
[ ! -d "$out/share" ] || (cd "$out/share" && find . -type f | sort | while read -r file; do echo "644|$out/share/${file#./}|share/${file#./}"; done)
