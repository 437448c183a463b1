#!/usr/bin/env bash
# check_dependencies.sh LIB: the library needs nothing but the C library, the codecs, OpenSSL's cryptography and zlib: no display, no sound server, no Swift runtime. Its
# soname is the one that programs are linked with. It is no larger than it has to be.
set -u
[ $# -eq 1 ] || { echo "usage: $0 LIBMEDIASDK_SO" >&2; exit 2; }
allowed='^(libc|libm|libpthread|libdl|librt|libgcc_s|libstdc\+\+|libvpx|libyuv|libjpeg|libffi|libopus|libcrypto|libssl|libz)\.so(\.[0-9.]+)?$|^ld-linux.*|^linux-vdso'
failed=0

soname=$(readelf -d "$1" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libmediasdk.so.1" ] || { echo "check_dependencies: the soname is '$soname', not libmediasdk.so.1"; failed=1; }

# All of them, also those that the direct ones bring along.
all=$(ldd "$1") || { echo "check_dependencies: ldd fails"; exit 1; }
if grep 'not found' <<<"$all"; then failed=1; fi
while read -r name _; do
  name=$(basename "$name")
  grep -qE "$allowed" <<<"$name" || { echo "check_dependencies: $name is not in the list of what may be needed"; failed=1; }
done <<<"$all"

path=$(readelf -d "$1" | grep -E '\((RPATH|RUNPATH)\)')
case $path in
  ''|*'[$ORIGIN'*) ;;
  *) echo "check_dependencies: looks for libraries in $path"; failed=1 ;;
esac
readelf -lW "$1" | grep -q 'GNU_STACK.*RWE' && { echo "check_dependencies: the stack is executable"; failed=1; }
readelf -d "$1" | grep -q TEXTREL && { echo "check_dependencies: text relocations"; failed=1; }
# Swift's regular expressions are linked for one search for text in text (String.contains, replacing): a tenth of the library.
grep -qa _StringProcessing "$1" && { echo "check_dependencies: the library contains Swift's _StringProcessing; say it by bytes (MediaSDP/URL/TextBytes.swift)"; failed=1; }
size=$(stat -L -c %s "$1")
[ "$size" -le 13570000 ] || { echo "check_dependencies: the library has $size bytes; accepted: at most 13570000"; failed=1; }
echo "check_dependencies: $(wc -l <<<"$all") libraries, soname $soname, $size bytes"
exit $failed
