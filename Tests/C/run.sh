#!/usr/bin/env bash
# Builds every test of the folders here into BUILD_DIR and runs them:  run.sh BUILD_DIR [test name or folder ...]
#
# From the environment: CC (gcc), CFLAGS, LDFLAGS, MSDK_LIB_DIR (where libmediasdk.so is), MSDK_PLUGIN_DIR (MSDK_LIB_DIR/plugins),
# MSDK_TEST_TIMEOUT (seconds for each test, 300), MSDK_TEST_JOBS (how many run at a time, 1), MSDK_TEST_WRAPPER (a command before each test,
# "valgrind -q" say), MSDK_TEST_SLOW (set: fewer rounds, as under the sanitizers), and MSDK_TEST_AGAIN (set: one that fails is run once more,
# alone; if it passes then it is printed as FLAKY).
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [test name or folder ...]" >&2; exit 2; }
[ -n "${MSDK_LIB_DIR:-}" ] || { echo "$0: MSDK_LIB_DIR is not set: the directory of libmediasdk.so" >&2; exit 2; }
mkdir -p "$1" && build=$(cd "$1" && pwd) && shift
lib=$(cd "$MSDK_LIB_DIR" && pwd) || exit 2
cc=${CC:-gcc}
timeout_s=${MSDK_TEST_TIMEOUT:-300}
export MSDK_PLUGIN_DIR=${MSDK_PLUGIN_DIR:-$lib/plugins}
export MSDK_TEST_PLUGINS=$build/plugins
export MSDK_TEST_SCANNED=$build/scanned
export XDG_CACHE_HOME=$build/cache
export MSDK_TEST_MEDIA=$root/Tests/Media
export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=0:allocator_may_return_null=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=0:die_after_fork=0:exitcode=66}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}
warnings="-std=c11 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror"

compile() { # source, output, more flags
  local source=$1 output=$2
  shift 2
  # shellcheck disable=SC2086
  if [ ! -e "$output" ] || [ -n "$(find "$here" "$root/Include" "$root/Sources/Feeder" -newer "$output" \( -name '*.h' -o -path "$source" -o -name sha256.c \) -print -quit)" ]; then
    $cc $warnings -g -O1 ${CFLAGS:-} -I"$root/Include" -iquote "$here" "$source" -o "$output" "$@" || return 1
  fi
}

export MSDK_TEST_ISOLATED=$build/isolated
mkdir -p "$build/plugins" "$build/scanned" "$build/isolated" "$build/run"
for folder in plugins scanned isolated; do
  for source in $(find "$here/$folder" -name '*.c'); do
    # The plugins are bad on purpose, and are built without a sanitizer's help.
    CFLAGS= compile "$source" "$build/$folder/$(basename "$source" .c).so" -fPIC -shared -pthread || exit 1
  done
  chmod go-w "$build/$folder" "$build/$folder"/*.so
done

tests_of() { find "$1" -name 'test_*.c' -o -name 'fuzz_*.c' | sed 's|.*/||; s|\.c$||'; }
names=()
for name; do
  if [ -d "$here/$name" ]; then names+=($(tests_of "$here/$name" | sort)); else names+=("$name"); fi
done
[ $# -gt 0 ] || names=($(tests_of "$here" | sort))

# Builds and runs one; what came of it stands beside its folder, as others run meanwhile.
run() {
  local name=$1 work=$build/run/$1 started code seconds line reason
  rm -rf "$work" "$work".{counts,bad} && mkdir -p "$work"
  # shellcheck disable=SC2086
  if ! compile "$(find "$here" -name "$name.c")" "$build/$name" -L"$lib" -lmediasdk -Wl,--as-needed -lmediasdk-feeder -lm -pthread ${LDFLAGS:-}; then
    echo "does not compile" >"$work.bad"
    return
  fi
  started=$(date +%s.%N)
  # shellcheck disable=SC2086
  (cd "$work" && timeout --kill-after=5 "$timeout_s" ${MSDK_TEST_WRAPPER:-} "$build/$name") >"$work/stdout" 2>"$work/stderr"
  code=$?
  seconds=$(echo "$(date +%s.%N) $started" | awk '{printf "%.1f", $1 - $2}')
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$work/stdout" | tail -n 1)
  echo "${line:-0 passed, 0 failed}" >"$work.counts"
  printf '%-26s %s (%s s)\n' "$name" "${line:-no result}" "$seconds"
  if [ "$code" -ne 0 ]; then
    reason="exit code $code"
    [ "$code" -eq 124 ] && reason="longer than $timeout_s s"
    [ "$code" -gt 128 ] && reason="signal $((code - 128))"
    echo "$reason" >"$work.bad"
    head -n 60 "$work/stderr" | cut -c1-300 | sed 's/^/    /'
  fi
}

for name in "${names[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "${MSDK_TEST_JOBS:-1}" ]; do wait -n; done
  run "$name" &
done
wait
for name in "${names[@]}"; do
  if [ -n "${MSDK_TEST_AGAIN:-}" ] && [ -e "$build/run/$name.bad" ]; then
    run "$name"
    [ -e "$build/run/$name.bad" ] || echo "FLAKY: $name"
  fi
done

results=("${names[@]/#/$build/run/}")
read -r passed failed < <(cat "${results[@]/%/.counts}" 2>/dev/null | awk '{p += $1; f += $3} END {print p + 0, f + 0}')
echo "${#names[@]} programs, $passed checks passed, $failed failed"
bad=$(for name in "${names[@]}"; do
  result=$build/run/$name
  if [ -e "$result.bad" ] || [ ! -e "$result.counts" ]; then echo "failed: $name ($(cat "$result.bad" 2>/dev/null || echo "did not run"))"; fi
done)
if [ -n "$bad" ]; then
  echo "$bad"
  exit 1
fi
