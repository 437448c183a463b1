#!/usr/bin/env bash
# Installs dist/*.deb in a clean root of this Debian release, which has no Swift, and runs there: a C program by pkg-config, one in Python, a call
# by the tool with a recording, and a plugin from its first line to the checker. Needs root. usage: packaging/debian/try.sh [SUITE]
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=${1:-bookworm}
work=$PWD/.build/dist/roots
packaging/root.sh "$suite" "$work/$suite" ca-certificates
root=$work/$suite-deb
rm -rf "$root"
cp -a "$work/$suite" "$root"
mkdir "$root/packages"
cp dist/*.deb "$root/packages"

inside() { packaging/inside.sh "$root" "$1"; }

size() { inside "dpkg-query -W -f '\${Installed-Size}\n' | awk '{ sum += \$1 } END { print int(sum / 1024) }'"; }
inside "apt-get -qq update"
before=$(size) started=$SECONDS
inside "apt-get -qq install -y --no-install-recommends /packages/*.deb > install.log 2>&1 || { tail -n 20 install.log; exit 1; }"
echo "  all packages installed in $((SECONDS - started)) s; $(($(size) - before)) MB with what they depend on"
inside "apt-get -qq install -y --no-install-recommends gcc libc6-dev make pkg-config > tools.log 2>&1"
inside "examples=/usr/share/doc/mediasdk/examples
  gcc \$examples/C/send.c \$(pkg-config --cflags --libs mediasdk) -lm -o send && ./send > send.log && tail -n 1 send.log"
echo "  Examples/C/send.c builds by pkg-config and runs"
block() { awk "/^\`\`\`/ { if (on) exit; on = \$0 == \"\`\`\`$1\"; next } on" README.md; } # the first of that language
block c > "$root/root/readme.c"
block python > "$root/root/readme.py"
inside "gcc readme.c \$(pkg-config --cflags --libs mediasdk) -o readme && ./readme > readme.log && tail -n 1 readme.log; python3 readme.py"
echo "  the programs of README.md run"
inside "python3 /usr/share/doc/mediasdk/examples/Python/send.py 2 > python.log && tail -n 1 python.log"
echo "  Examples/Python/send.py runs"
inside "msdk run --sound --producer testpattern:counter --producer tone --seconds 2 --codec vp8 --renderer recorder:call.webm > run.log 2>&1 || { cat run.log; exit 1; }
  test -s call.webm"
echo "  msdk run records a call"
inside "msdk plugin new first > new.log && make -s -C first && make -s -C first check > check.log 2>&1 || { cat check.log; exit 1; }; tail -n 1 check.log"
echo "  msdk plugin new writes a plugin that builds and passes the checker"
inside "apt-get -qq purge -y 'mediasdk*' 'libmediasdk*' python3-mediasdk > purge.log 2>&1; ! find /usr -name '*mediasdk*' | grep ."
echo "  the packages leave nothing behind"
