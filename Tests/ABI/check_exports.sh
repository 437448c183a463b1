#!/usr/bin/env bash
# check_exports.sh LIB: the library exports the functions that the headers promise, those of the linker map, and nothing else, each with the
# version of its node in the map.
set -u
[ $# -eq 1 ] || { echo "usage: $0 LIBMEDIASDK_SO" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
export LC_ALL=C

# MSDK_DEFINE_ENTRY is for plugins: its text is a macro's, which the preprocessor leaves out here.
echo '#include <mediasdk/mediasdk.h>' | gcc -E -P -I"$root/Include" - | tr '\n' ' ' |
  grep -oE '__attribute__\(\(visibility\("default"\)\)\)[^;]*;' | grep -oE 'msdk_[a-z0-9_]+\(' | tr -d '(' | sort -u >"$work/headers"
grep -oE '^ *msdk_[a-z0-9_]+;' "$root/Include/mediasdk.map" | tr -d ' ;' | sort -u >"$work/map"
nm -D --defined-only --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {sub(/@.*/, "", $1); print $1}' | sort -u >"$work/library"
# Weak or absolute, or spelt otherwise than ours: nothing of the kind may be there.
nm -D --defined-only --format=posix "$1" | awk '$2 ~ /^[A-Zvwu]$/ && $2 != "A" {sub(/@.*/, "", $1); print $1}' |
  grep -v '^msdk_' >"$work/foreign"

# A symbol with its version: what a program that was linked against the library asks for when it is loaded.
awk '/^MSDK_[0-9.]+ \{/ {node = $1} match($0, /^ *msdk_[a-z0-9_]+;/) {name = $0; gsub(/[ ;]/, "", name); print name "@@" node}' \
  "$root/Include/mediasdk.map" | sort -u >"$work/map with versions"
nm -D --defined-only --with-symbol-versions --format=posix "$1" | awk '$2 ~ /^[A-Z]$/ && $2 != "A" {print $1}' | sort -u >"$work/library with versions"

failed=0
compare() {
  local extra missing
  extra=$(comm -13 "$1" "$2") missing=$(comm -23 "$1" "$2")
  [ -z "$extra" ] || { printf 'check_exports: only in the %s:\n%s\n' "$(basename "$2")" "$extra"; failed=1; }
  [ -z "$missing" ] || { printf 'check_exports: only in the %s:\n%s\n' "$(basename "$1")" "$missing"; failed=1; }
}
compare "$work/headers" "$work/map"
compare "$work/headers" "$work/library"
compare "$work/map with versions" "$work/library with versions"
# The first node is the contract's first version, which never changes; later ones follow it.
first=$(grep -oE '^MSDK_[0-9.]+' "$root/Include/mediasdk.map" | head -1)
[ "$first" = MSDK_1.0 ] || { echo "check_exports: the first version node is '$first'; expected: MSDK_1.0"; failed=1; }
[ ! -s "$work/foreign" ] || { echo "check_exports: names that are not ours:"; cat "$work/foreign"; failed=1; }
[ -s "$work/headers" ] || { echo "check_exports: no function was found in the headers"; failed=1; }
echo "check_exports: $(wc -l <"$work/library") functions"
exit $failed
