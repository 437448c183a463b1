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
  return MSDK_HAS(&format, msdk_video_format, expected_delay_ns) && MSDK_CAN(host, msdk_host, log) ? 1 : 0;
}
static int32_t volume(msdk_self *self, double level) { return self != NULL && level > 0 ? 1 : 0; }
static void c0(msdk_self *self) { (void)self; }
static msdk_result c2(msdk_self *self, const char *a, uint8_t b) { return self != NULL && a != NULL && b ? 1 : 0; }
static const char *c3(msdk_self *self, int32_t a, int64_t b, uint32_t c) { return self != NULL && a && b && c ? "" : NULL; }
static const msdk_bytes *c4(msdk_self *self, uint64_t a, double b, const char *c, const msdk_bytes *d) {
  return self != NULL && a && b > 0 && c != NULL ? d : NULL;
}
static uint8_t c5(msdk_self *self, double a, double b, double c, double d, double e) { return self != NULL && a + b + c + d + e > 0; }
static uint32_t c6(msdk_self *s, double a, double b, double c, double d, double e, double f) { return s != NULL && a + b + c + d + e + f > 0; }
static int64_t c7(msdk_self *s, double a, double b, double c, double d, double e, double f, double g) {
  return s != NULL && a + b + c + d + e + f + g > 0;
}
static uint64_t c8(msdk_self *s, uint8_t a, int32_t b, int64_t c, uint32_t d, uint64_t e, double f, const char *g, const msdk_bytes *h) {
  return s != NULL && a && b && c && d && e && f > 0 && g != NULL && h != NULL;
}
static const msdk_arg_limits limits[8] = {{sizeof(msdk_arg_limits), 0, "how loud", MSDK_F64(0), MSDK_F64(1), NULL, 0, 0, NULL}};
static const msdk_command commands[] = {
  MSDK_COMMAND1("volume", volume, I32, F64, "level", "how loud"),
  MSDK_COMMAND0("c0", c0, VOID, NULL),
  MSDK_COMMAND2("c2", c2, STATUS, STRING, "a", BOOL, "b", NULL),
  MSDK_COMMAND3("c3", c3, STRING, I32, "a", I64, "b", U32, "c", NULL),
  MSDK_COMMAND4("c4", c4, BYTES, U64, "a", F64, "b", STRING, "c", BYTES, "d", NULL),
  MSDK_COMMAND5("c5", c5, BOOL, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", NULL),
  MSDK_COMMAND6("c6", c6, U32, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", F64, "f", NULL),
  MSDK_COMMAND7("c7", c7, I64, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", F64, "f", F64, "g", NULL),
  MSDK_COMMAND8("c8", c8, U64, BOOL, "a", I32, "b", I64, "c", U32, "d", U64, "e", F64, "f", STRING, "g", BYTES, "h", NULL),
  MSDK_COMMAND0_WITH(MSDK_COMMAND_CONST, NULL, "w0", c0, VOID, NULL),
  MSDK_COMMAND1_WITH(0, limits, "w1", volume, I32, F64, "level", NULL),
  MSDK_COMMAND2_WITH(0, limits, "w2", c2, STATUS, STRING, "a", BOOL, "b", NULL),
  MSDK_COMMAND3_WITH(0, limits, "w3", c3, STRING, I32, "a", I64, "b", U32, "c", NULL),
  MSDK_COMMAND4_WITH(0, limits, "w4", c4, BYTES, U64, "a", F64, "b", STRING, "c", BYTES, "d", NULL),
  MSDK_COMMAND5_WITH(0, limits, "w5", c5, BOOL, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", NULL),
  MSDK_COMMAND6_WITH(0, limits, "w6", c6, U32, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", F64, "f", NULL),
  MSDK_COMMAND7_WITH(0, limits, "w7", c7, I64, F64, "a", F64, "b", F64, "c", F64, "d", F64, "e", F64, "f", F64, "g", NULL),
  MSDK_COMMAND8_WITH(MSDK_COMMAND_THREAD_SAFE | MSDK_COMMAND_CONST, limits, "w8", c8, U64, BOOL, "a", I32, "b", I64, "c", U32, "d", U64,
                     "e", F64, "f", STRING, "g", BYTES, "h", NULL)};
uint64_t count(void);
uint64_t count(void) { return sizeof commands / sizeof commands[0] + commands[0].arg_count; }
MSDK_DEFINE_ENTRY(NULL)
END
try "$work/macros.c" c c11 gcc clang
try "$work/macros.c" c++ c++17 g++ clang++

# A tag that does not fit the function must not compile: of the result, of the first argument, of the last of eight; nor must one too few.
for change in 's/volume, I32, F64, "level", "how/volume, I32, STRING, "level", "how/' 's/c0, VOID, NULL),$/c0, STATUS, NULL),/' \
  's/c2, STATUS, STRING, "a", BOOL/c2, STATUS, STRING, "a", I32/' 's/MSDK_COMMAND3("c3", c3, STRING/MSDK_COMMAND3("c3", c3, BYTES/' \
  's/STRING, "g", BYTES, "h", NULL),/STRING, "g", STRING, "h", NULL),/' 's/MSDK_COMMAND1_WITH(0, limits, "w1", volume, I32/MSDK_COMMAND1_WITH(0, limits, "w1", volume, U32/' \
  's/"w7", c7, I64, F64/"w7", c7, I64, U64/' 's/"g", BYTES, "h", NULL)};/"g", I64, "h", NULL)};/' 's/"c7", c7,/"c7", c6,/' 's/MSDK_COMMAND0("c0", c0/MSDK_COMMAND0("c0", c2/'; do
  sed "$change" "$work/macros.c" >"$work/wrong.c"
  cmp -s "$work/macros.c" "$work/wrong.c" && { echo "check_headers: nothing was changed by $change"; failed=1; }
  for compiler in "gcc -x c -std=c11" "clang -x c -std=c11" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
    checked=$((checked + 1))
    # shellcheck disable=SC2086
    if $compiler $flags -fsyntax-only "$work/wrong.c" 2>/dev/null; then
      echo "check_headers: $compiler accepts a command whose tags do not fit its function: $change"
      failed=1
    fi
  done
done

echo "check_headers: $checked compilations"
exit $failed
