#!/bin/sh
# Builds the plugins, the example and their tests into a folder, and runs the tests; fails if one of them does.
#   CC=... CFLAGS=... LDFLAGS=... Tests/Plugins/run.sh BUILD_FOLDER
set -eu
build=${1:?usage: CC=... CFLAGS=... LDFLAGS=... run.sh BUILD_FOLDER}
root=$(cd "$(dirname "$0")/../.." && pwd)
cc=${CC:-cc}
flags="-std=c11 -Wall -Wextra -pedantic -Werror ${CFLAGS:--O2}"
mkdir -p "$build/plugins" "$build/tests"
build=$(cd "$build" && pwd)

# The words of a `packages` file are names for pkg-config, or linker options (-l...), which are passed on.
package_flags() {
  for word in $(cat "$1/packages" 2>/dev/null || true); do
    case $word in
      -l*) printf '%s ' "$word" ;;
      *) pkg-config --cflags --libs "$word" ;;
    esac
  done
}

for folder in "$root"/Sources/Plugins/*/; do
  name=$(basename "$folder" | tr 'A-Z' 'a-z')
  # shellcheck disable=SC2046,SC2086
  $cc $flags -fPIC -fvisibility=hidden -shared -I"$root/Include" "$folder"*.c $(package_flags "$folder") \
    ${LDFLAGS:-} -o "$build/plugins/$name.so"
done

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

for source in "$root"/Tests/Plugins/host*.c; do
  # shellcheck disable=SC2086
  $cc $flags -I"$root/Include" -c "$source" -o "$build/tests/$(basename "$source" .c).o"
done

failed=0
for source in "$root"/Tests/Plugins/test_*.c; do
  name=$(basename "$source" .c)
  # shellcheck disable=SC2046,SC2086
  $cc $flags -I"$root/Include" "$source" "$build"/tests/host*.o \
    $(pkg-config --cflags --libs vpx libpng xcb xcb-xfixes) -ldl -lm -lpthread ${LDFLAGS:-} -o "$build/tests/$name"
  echo "== $name"
  MSDK_TEST_PLUGINS="$build/plugins" MSDK_TEST_MEDIA="$root/Tests/Media" timeout 300 "$build/tests/$name" || failed=1
done
exit $failed
