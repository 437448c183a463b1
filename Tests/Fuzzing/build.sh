#!/usr/bin/env bash
# Builds targets for libFuzzer and the address sanitizer into .build/fuzz/bin: those in C each as a program of its own, those in Swift all
# as one, msdk-fuzz. usage: Tests/Fuzzing/build.sh [c]
set -euo pipefail
cd "$(dirname "$0")/../.."

out=.build/fuzz/bin
toolchain=$(dirname "$(dirname "$(swiftc -print-target-info | sed -n 's/.*"runtimeResourcePath": *"\(.*\)".*/\1/p')")")
clang=$toolchain/bin/clang
runtime=$("$clang" -print-resource-dir)/lib/linux
mkdir -p "$out"

# A target in C says in its first comment which sources of plugins it is built with (a path from Sources/Plugins), and
# which packages it links, if any.
says() { sed -n "s|^ \* $2: ||p" "$1" | sed 's| \*/$||'; }
for target in Tests/Fuzzing/C/*.c; do
  program=$out/$(basename "$target" .c)
  sources=()
  for source in $(says "$target" sources); do sources+=("Sources/Plugins/$source"); done
  [ -e "$program" ] && [ -z "$(find "$target" Tests/Fuzzing/C/*.h "${sources[@]}" Include/mediasdk -newer "$program")" ] && continue
  echo "== building $program"
  packages=$(says "$target" packages)
  libraries=$([ -z "$packages" ] || pkg-config --cflags --libs $packages)
  "$clang" -std=c11 -Wall -Wextra -pedantic -Werror -g -O1 -fno-omit-frame-pointer \
    -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -fuse-ld=lld -IInclude "$target" "${sources[@]}" $libraries -lm -o "$program"
done
[ "${1:-}" = c ] && exit

# Optimised as the library is, with its traps on overflow.
echo "== building $out/msdk-fuzz (two minutes and a half the first time)"
MSDK_FUZZ=1 swift build -c release --sanitize=address --scratch-path .build/fuzz --product msdk-fuzz \
  -Xswiftc -enable-testing -Xswiftc -enforce-exclusivity=unchecked \
  -Xswiftc -sanitize-coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table \
  -Xswiftc -use-ld=lld -Xlinker "$runtime/libclang_rt.fuzzer_no_main-$(uname -m).a" -Xlinker -lstdc++
install .build/fuzz/release/msdk-fuzz "$out/msdk-fuzz"
