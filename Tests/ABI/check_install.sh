#!/usr/bin/env bash
# Installs into a folder, and uses what was installed as a stranger would: a program linked through pkg-config, a plugin built from the headers alone,
# the tool. usage: Tests/ABI/check_install.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
root=${1:?usage: check_install.sh FOLDER}
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
cc=${CC:-cc}

make --no-print-directory -s install DESTDIR="$root/stage" PREFIX=/usr
stage=$root/stage/usr
export PKG_CONFIG_PATH=$stage/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root/stage PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
passed=0
ok() { passed=$((passed + 1)); echo "  $1"; }

# A program.
cp Examples/C/send.c Examples/C/receive.c Examples/C/tone.c Examples/C/command.c "$root"
for program in send receive tone command; do
  (cd "$root" && $cc "$program.c" $(pkg-config --cflags --libs mediasdk) -lm -o "$program" && LD_LIBRARY_PATH=$stage/lib timeout 60 "./$program" > "$program.log")
  ok "Examples/C/$program.c builds with pkg-config and runs"
done

# A feeder, which links its own library alone, and the session that it feeds.
cp Examples/C/door.c Examples/C/feeder.c "$root"
(
  cd "$root"
  $cc door.c $(pkg-config --cflags --libs mediasdk) -o door
  $cc feeder.c $(pkg-config --cflags --libs mediasdk-feeder) -o feeder
  export LD_LIBRARY_PATH=$stage/lib
  if ldd feeder | grep -q 'libmediasdk\.so'; then exit 1; fi
  timeout 60 ./door key > door.log &
  for _ in $(seq 300); do grep -qs 'is open' door.log && break; sleep 0.1; done
  timeout 60 ./feeder key 1 > feeder.log
  wait
  grep -q 'it said goodbye' door.log
)
ok "Examples/C/feeder.c builds with pkg-config mediasdk-feeder and feeds Examples/C/door.c"

# A plugin, built where only the installed headers are.
cp -r Examples/Plugin "$root/plugin"
make --no-print-directory -s -C "$root/plugin" CC="$cc"
LD_LIBRARY_PATH=$stage/lib "$stage/bin/msdk" inspect --plugins "$root/plugin" > "$root/inspect.log"
grep -q org.example.gradient "$root/inspect.log"
ok "Examples/Plugin builds with the installed headers alone and loads"

# A plugin that the tool begins.
(
  cd "$root"
  "$stage/bin/msdk" plugin new first > new.log
  make --no-print-directory -s -C first CC="$cc"
  make --no-print-directory -s -C first CC="$cc" MSDK="$stage/bin/msdk" check > check.log
)
ok "msdk plugin new writes a plugin that builds with the installed headers alone and passes the checker"

# The tool finds the plugins that were installed beside it.
grep -q org.mediasdk.producer.testpattern "$root/inspect.log"
ok "msdk finds the installed plugins"

echo "$passed passed, 0 failed"
