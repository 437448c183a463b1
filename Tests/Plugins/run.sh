#!/bin/sh
# Builds the tests of the plugins, of the folders here, and the example of a plugin into a folder, and runs the tests; fails if one of them does.
# The plugins are those of MSDK_PLUGIN_DIR, as `make plugins` has built them.
#   CC=... CFLAGS=... LDFLAGS=... MSDK_PLUGIN_DIR=... Tests/Plugins/run.sh BUILD_FOLDER [test name ... | plugins]
# With MSDK_TEST_ISOLATED, the path of libmsdk-isolating.so (Tests/Isolating), and MSDK_PLUGIN_HOST the same programs run with the plugins in
# processes of their own, behind the library's proxies. With MSDK_TEST_BUILT set nothing is built: what a run before has built is used, or the
# plugins of another folder, MSDK_TEST_PLUGINS.
set -eu
build=${1:?usage: CC=... CFLAGS=... LDFLAGS=... run.sh BUILD_FOLDER [test name ...]}
shift
tests=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$tests/../.." && pwd)
cc=${CC:-cc}
flags="-std=c11 -Wall -Wextra -pedantic -Werror ${CFLAGS:--O2}"
mkdir -p "$build/plugins" "$build/tests"
build=$(cd "$build" && pwd)

gather_plugins() {
  cp "${MSDK_PLUGIN_DIR:?the folder of the plugins}"/*.so "$build/plugins/"
  printf 'Name: mediasdk\nDescription: headers\nVersion: 1.0\nincludedir=%s\nCflags: -I${includedir}\n' "$root/Include" >"$build/mediasdk.pc"
  cp "$root"/Examples/Plugin/gradient.c "$root"/Examples/Plugin/Makefile "$root"/Examples/Plugin/plugin.map "$build/plugins/"
  make -s -B -C "$build/plugins" PKG_CONFIG_PATH="$build" CC="$cc" CFLAGS="$flags" LDFLAGS="${LDFLAGS:-}"

  for plugin in "$build"/plugins/*.so; do
    extra=$(nm -D --defined-only "$plugin" | awk '{print $3}' |
      grep -v -x -E 'msdk_plugin_entry_v1|_init|_fini|_edata|_end|__bss_start|__asan_.*|__odr_asan.*|___asan_.*' || true)
    if [ -n "$extra" ]; then
      echo "$plugin exports more than its entry: $extra"
      exit 1
    fi
  done
}

build_tests() {
  for source in "$tests"/host*.c; do
    # shellcheck disable=SC2086
    $cc $flags -I"$root/Include" -c "$source" -o "$build/tests/$(basename "$source" .c).o"
  done

  for source in "$tests"/*/test_*.c; do
    # shellcheck disable=SC2046,SC2086
    $cc $flags -I"$root/Include" -iquote "$tests" "$source" "$build"/tests/host*.o \
      $(pkg-config --cflags --libs vpx libpng xcb xcb-xfixes) -ldl -lm -lpthread ${LDFLAGS:-} -o "$build/tests/$(basename "$source" .c)"
  done
}

# Parts of programs that are not run isolated, as they name them (host_leaves_out): one in a line, with the reason.
left_out_parts='
  terminal-exit     exit of the program, which the plugin is to hear of: its process is killed then
  testpattern-time  how long the plugin takes for a picture, measured around the call: the way to its process is in it
  x11-memory        that two frames lie at one address: each is copied into a slot of its own
  x11-parts         writes to the memory of a frame that was given back, to see which parts of it the plugin paints anew
'

[ -n "${MSDK_TEST_BUILT:-}" ] || gather_plugins
# "plugins" only gathers them.
[ "$*" != plugins ] || exit 0
[ -n "${MSDK_TEST_BUILT:-}" ] || build_tests
MSDK_TEST_LEFT_OUT=$(printf '%s' "$left_out_parts" | awk '{printf "%s ", $1}')
MSDK_TEST_PLUGINS=${MSDK_TEST_PLUGINS:-$build/plugins}
export MSDK_TEST_LEFT_OUT MSDK_TEST_PLUGINS MSDK_TEST_MEDIA="$root/Tests/Media"

[ $# -gt 0 ] || set -- $(find "$tests" -name 'test_*.c' | sed 's|.*/||; s|\.c$||' | sort)
failed=0
for name; do
  echo "== $name${MSDK_TEST_ISOLATED:+, isolated}"
  timeout 300 "$build/tests/$name" || failed=1
done
exit $failed
