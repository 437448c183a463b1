#!/usr/bin/env bash
# layout.c holds: it compiles with both compilers, and every constant and every member of a struct of the headers stands in it.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
layout=$root/Tests/ABI/layout.c
failed=0
for compiler in gcc clang; do
  $compiler -std=c11 -Wall -Wextra -pedantic -Werror -I"$root/Include" -fsyntax-only "$layout" || failed=1
done

# The preprocessed headers, without what the system's own declare, on one line.
text=$(printf '#include <mediasdk/mediasdk.h>\n#include <mediasdk/feeder.h>\n' | gcc -E -I"$root/Include" - |
  awk '/^# /{ours = /mediasdk\//} ours && !/^#/' | tr -s ' \n' ' ')
constants=$(grep -oE 'enum \{[^}]*\}' <<<"$text" | grep -oE 'MSDK_[A-Z0-9_]+' | sort -u)
for name in $constants; do
  grep -q "^VALUE($name," "$layout" || { echo "check_layout: the constant $name is not in layout.c"; failed=1; }
done
structs=$(grep -oE 'struct msdk_[a-z0-9_]+ \{' <<<"$text" | awk '{print $2}' | sort -u)
for name in $structs; do
  grep -q "^SIZE($name," "$layout" || { echo "check_layout: struct $name is not in layout.c"; failed=1; }
  # A struct that grew has another size than the one that stands there, and did not compile.
done
echo "check_layout: $(wc -w <<<"$constants") constants, $(wc -w <<<"$structs") structs"
exit $failed
