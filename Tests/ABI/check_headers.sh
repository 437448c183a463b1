#!/usr/bin/env bash
# Every header by itself, twice, and all of them together: C11, C17 and C++17, with gcc and clang, without a warning. Also that the
# headers stay in line with the frozen layout.c.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
flags="-Wall -Wextra -pedantic -Werror -I$root/Include"
failed=0 checked=0

try() { # language, standard, compilers..., for a file
  local file=$1 language=$2 standard=$3 compiler
  shift 3
  for compiler in "$@"; do
    command -v "$compiler" >/dev/null || { echo "check_headers: $compiler is not installed" >&2; failed=1; continue; }
    checked=$((checked + 1))
    # shellcheck disable=SC2086
    if ! "$compiler" -x "$language" -std="$standard" $flags -fsyntax-only "$file"; then
      echo "  $compiler -std=$standard: $(cat "$file")"
      failed=1
    fi
  done
}

for header in "$root"/Include/mediasdk/*.h; do
  name=mediasdk/$(basename "$header")
  printf '#include <%s>\n#include <%s>\ntypedef int not_empty;\n' "$name" "$name" >"$work/one.c"
  for standard in c11 c17; do try "$work/one.c" c $standard gcc clang; done
  try "$work/one.c" c++ c++17 g++ clang++
done

# What programs write with the macros, in both languages.
cat >"$work/macros.c" <<'END'
#include <mediasdk/mediasdk.h>
int use(const msdk_host *host);
int use(const msdk_host *host) {
  msdk_video_format format = MSDK_INIT(msdk_video_format);
  return MSDK_HAS(&format, msdk_video_format, modifier) && MSDK_CAN(host, msdk_host, log) ? 1 : 0;
}
static int32_t volume(msdk_self *self, double level) { return self != NULL && level > 0 ? 1 : 0; }
static const msdk_command commands[] = {MSDK_COMMAND1("volume", volume, I32, F64, "level", "how loud")};
uint64_t count(void);
uint64_t count(void) { return sizeof commands / sizeof commands[0] + commands[0].arg_count; }
MSDK_DEFINE_ENTRY(NULL)
END
try "$work/macros.c" c c11 gcc clang
try "$work/macros.c" c++ c++17 g++ clang++

# A tag that does not fit the function must not compile.
sed 's/volume, I32, F64/volume, I32, STRING/' "$work/macros.c" >"$work/wrong.c"
for compiler in gcc clang; do
  checked=$((checked + 1))
  # shellcheck disable=SC2086
  if $compiler -std=c11 $flags -fsyntax-only "$work/wrong.c" 2>/dev/null; then
    echo "check_headers: $compiler accepts a command whose tags do not fit its function"
    failed=1
  fi
done

echo "check_headers: $checked compilations"
"$(dirname "$0")/check_layout.sh" || failed=1
exit $failed
