#!/usr/bin/env bash
# Builds dist/mediasdk-VERSION-linux-ARCH.tar.xz: what was built, the headers, the binding and the examples, with install.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/versions
name=mediasdk-$version-linux-$(uname -m)
work=.build/dist/tarball
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf "$work"
mkdir -p "$work/$name" dist
git ls-files -z Include Bindings Examples packaging README.md LICENSE SECURITY.md CHANGELOG.md | tar --null --files-from=- --create | tar --extract --directory "$work/$name"
mkdir "$work/$name/out"
cp -r .build/out/{libmediasdk.so,libmediasdk-feeder.so,libmediasdk-feeder.a,msdk,msdk-plugin-host,plugins} "$work/$name/out"
[ ! -d .build/out/share ] || cp -r .build/out/share "$work/$name/out"
ln -s packaging/install.sh "$work/$name/install.sh"
echo "== the tarball"
tar --create --directory "$work" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner "$name" | xz -9 -T1 > "dist/$name.tar.xz"
ls -l "dist/$name.tar.xz" | awk '{printf "%s: %.1f MB\n", $NF, $5 / 1e6}'
