#!/usr/bin/env bash
# Builds dist/*.deb from what `make` built.
set -euo pipefail
cd "$(dirname "$0")/../.."
. packaging/versions
top=$PWD
work=.build/dist/debian
tree=$work/mediasdk-$version
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
rm -rf "$work"
mkdir -p "$tree" dist

# The sources as git has them, and the folder debian where Debian's tools look for it.
git ls-files -z | tar --null --files-from=- --create | tar --extract --directory "$tree"
cp -r packaging/debian "$tree/debian"
rm "$tree/debian/"{build,try}.sh
maintainer=$(sed -n 's/^Maintainer: //p' packaging/debian/control)
cat > "$tree/debian/changelog" <<CHANGELOG
mediasdk ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(date --utc -R -d "@$SOURCE_DATE_EPOCH")
CHANGELOG

# The documentation site, if `make docs` has built it.
if [ -e dist/docs/index.html ]; then
  mkdir "$tree/site"
  cp -r dist/docs "$tree/site/html"
fi

echo "== the Debian packages"
(cd "$tree" && MSDK_BUILT=$top/.build/out dpkg-buildpackage --build=binary --no-sign --root-command=fakeroot > ../build.log 2>&1) || { tail -n 30 "$work/build.log" >&2; exit 1; }
rm -f dist/*.deb
cp "$work"/*.deb dist
lintian --fail-on error --tag-display-limit 0 "$work"/*.changes | tee "$work/lintian.log"
(cd dist && ls -l *.deb) | awk '{printf "%s: %.2f MB\n", $NF, $5 / 1e6}'
