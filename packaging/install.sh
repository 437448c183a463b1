#!/usr/bin/env bash
# Installs MediaSDK, or removes it. For the source tree, where what was built is in .build/out, and for the tarball, where it is in out.
#
#   sudo ./install.sh                                 into /usr/local
#   ./install.sh PREFIX=$HOME/.local                  for yourself
#   ./install.sh uninstall [PREFIX=...]               removes the files of this version
#
# LIBDIR=...: where libraries go (PREFIX/lib). DESTDIR=...: a staging folder, for those who make packages.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ -d "$here/packaging" ] || here=$(dirname "$here")
cd "$here"

action=install
prefix=/usr/local libdir= destdir=
for argument; do
  case $argument in
    install | uninstall) action=$argument ;;
    PREFIX=/*) prefix=${argument#*=} ;;
    LIBDIR=/* | LIBDIR=) libdir=${argument#*=} ;;
    DESTDIR=/* | DESTDIR=) destdir=${argument#*=} ;;
    -h | --help | help) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "install.sh: \"$argument\" is no argument; accepted: uninstall, PREFIX=, LIBDIR= and DESTDIR= with absolute paths" >&2; exit 2 ;;
  esac
done
prefix=${prefix%/}
libdir=${libdir:-$prefix/lib}
export OUT=${OUT:-$([ -d out ] && echo out || echo .build/out)}
[ -e "$OUT/libmediasdk.so" ] || { echo "install.sh: there is no $OUT/libmediasdk.so: run make first" >&2; exit 1; }
. packaging/versions

placed() { # the path of a place of the manifest
  case $1 in
    lib/*) echo "$destdir$libdir/${1#lib/}" ;;
    *) echo "$destdir$prefix/$1" ;;
  esac
}
manifest=$(packaging/manifest.sh)
folders=()

while IFS='|' read -r kind source place; do
  target=$(placed "$place")
  if [ "$action" = uninstall ]; then
    rm -f "$target"
    folders+=("$(dirname "$target")")
    continue
  fi
  mkdir -p "$(dirname "$target")"
  case $kind in
    link) ln -sfn "$source" "$target" ;;
    fill)
      up=$(realpath -sm --relative-to="$(dirname "${target#"$destdir"}")" "$prefix")
      sed -e "s|@PREFIX@|$prefix|; s|@LIBDIR@|$libdir|; s|@UP@|$up|; s|@VERSION@|$version|; s|@ABI@|$abi|" "$source" > "$target.new"
      chmod 644 "$target.new"
      mv "$target.new" "$target"
      ;;
    # A new file in place of the old one: programs that run keep theirs.
    *) install -m "$kind" "$source" "$target.new"; mv "$target.new" "$target" ;;
  esac
done <<< "$manifest"

if [ "$action" = uninstall ]; then
  # Folders that are ours, and empty now; plugins of others stay.
  printf '%s\n' "${folders[@]}" | grep -E '/mediasdk(/|$)' | sort -ru | while read -r folder; do
    while [[ $folder == */mediasdk* ]]; do rmdir "$folder" 2> /dev/null || break; folder=$(dirname "$folder"); done
  done
  echo "MediaSDK $version was removed from $destdir$prefix"
else
  echo "MediaSDK $version is in $destdir$prefix, its libraries in $destdir$libdir"
  case $libdir in
    /usr/lib* | /usr/local/lib) ;;
    *) echo "to use it:  export PATH=$prefix/bin:\$PATH PKG_CONFIG_PATH=$libdir/pkgconfig"
      echo "            and link programs with -Wl,-rpath,$libdir" ;;
  esac
fi

# Where the loader searches, it finds the library once its cache knows it. A staging folder is not searched.
if [ -z "$destdir" ] && [ "$(id -u)" = 0 ]; then PATH=$PATH:/sbin:/usr/sbin ldconfig 2> /dev/null || true; fi
