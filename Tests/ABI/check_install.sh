#!/usr/bin/env bash
# Installs into a folder, and uses what was installed as a stranger would: a program linked through pkg-config, a plugin built from the headers alone,
# the tool. usage: Tests/ABI/check_install.sh FOLDER
set -eEuo pipefail
trap 'echo "failed: line $LINENO of check_install.sh: $BASH_COMMAND" >&2' ERR
cd "$(dirname "$0")/../.."
root=${1:?usage: check_install.sh FOLDER}
rm -rf "$root"
mkdir -p "$root"
root=$(cd "$root" && pwd)
cc=${CC:-cc}

make --no-print-directory -s install DESTDIR="$root/stage" PREFIX=/usr > "$root/installed.log"
stage=$root/stage/usr
export PKG_CONFIG_PATH=$stage/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root/stage PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1
passed=0
ok() { passed=$((passed + 1)); echo "  $1"; }

# A program.
cp Examples/C/send.c Examples/C/receive.c Examples/C/tone.c Examples/C/command.c Examples/C/parameter.c "$root"
for program in send receive tone command parameter; do
  (cd "$root" && $cc "$program.c" $(pkg-config --cflags --libs mediasdk) -lm -o "$program" && LD_LIBRARY_PATH=$stage/lib timeout 60 "./$program" > "$program.log")
  ok "Examples/C/$program.c builds with pkg-config and runs"
done

cp Examples/C/access_token.c "$root"
(cd "$root" && $cc access_token.c $(pkg-config --cflags --libs mediasdk) -o access_token && MSDK_API_KEY=key MSDK_API_SECRET=0123456789abcdef0123456789abcdef \
  LD_LIBRARY_PATH=$stage/lib ./access_token lobby anna listen | grep -Eq '^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{43}$')
ok "Examples/C/access_token.c builds with pkg-config and prints a token"

# What a bot, a player that records, a renderer of one's own, a tap and a sender of layers print of what they did.
cp Examples/C/bot.c Examples/C/wav.c Examples/C/renderer.c Examples/C/tap.c Examples/C/layers.c Examples/C/encrypted.c Examples/C/metadata.c "$root"
clip=$PWD/Tests/Media/bunny-48k-stereo.wav
prints() { # PROGRAM PATTERN [ARGUMENT...]: each line of the pattern is found in what it prints
  local program=$1 pattern=$2 line
  shift 2
  (cd "$root" && $cc "$program.c" $(pkg-config --cflags --libs mediasdk) -o "$program" && LD_LIBRARY_PATH=$stage/lib timeout 60 "./$program" "$@" > "$program.log")
  while read -r line; do grep -Eq "$line" "$root/$program.log" || { cat "$root/$program.log"; echo "$program did not print: $line"; exit 1; }; done <<< "$pattern"
  ok "Examples/C/$program.c builds with pkg-config, runs, and prints what it did"
}
prints bot '^alice: [1-9][0-9]* frames, mean colour (19[789]|20[0-3]) (2[789]|3[0-3]) (2[789]|3[0-3])$
^carol: [1-9][0-9]* frames, mean colour (2[789]|3[0-3]) (2[789]|3[0-3]) (19[789]|20[0-3])$' 2
prints wav '^sent 2\.0 s at 48000 Hz, recorded [2-9]\.[0-9] s$' "$clip" heard.wav 2
python3 - "$root/heard.wav" <<'PYTHON'
import sys, wave
from array import array
with wave.open(sys.argv[1], "rb") as heard:
    assert (heard.getnchannels(), heard.getsampwidth(), heard.getframerate()) == (2, 2, 48000), heard.getparams()
    assert heard.getnframes() > 96000 and max(array("h", heard.readframes(heard.getnframes()))) > 300, heard.getparams()
PYTHON
prints renderer '^the meter saw [1-9][0-9]* frames, from [1-9][0-9]* to 1[0-9][0-9]$'
prints tap '^[0-9.]+ s info \[session\] session "alice" at loopback:lobby is connected$
^tapped [1-9][0-9]* frames; [1-9][0-9]* encoded frames, [1-9][0-9]* of them key frames, [1-9][0-9]* bytes; [1-9][0-9]* log records$' 1
prints layers '^alice sends 2 of 3 layers$
^bob sees 1280x720, [1-9][0-9]* frames a second$
^carol sees 320x180, [1-9][0-9]* frames a second$' "$(echo "$stage"/lib/mediasdk/plugins-*)"
prints encrypted '^bob: MSDK_ENCRYPTION_ACTIVE, [1-9][0-9]* frames received, [1-9][0-9]* decoded, reads only bob reads this$
^eve: MSDK_ENCRYPTION_NO_KEY, [1-9][0-9]* frames received, 0 decoded, reads nothing$' "$(echo "$stage"/lib/mediasdk/plugins-*)"
prints metadata '^bob received [1-9][0-9]* frames, and found the box in [1-9][0-9]*$'

# A chat of two processes, in a room that the tool serves, and one with nobody there.
cp Examples/C/chat.c "$root"
(
  cd "$root"
  $cc chat.c $(pkg-config --cflags --libs mediasdk) -o chat
  export LD_LIBRARY_PATH=$stage/lib
  printf 'hello\n@bob are you there?\n' | timeout 60 ./chat loopback:lobby alice > alone.log 2> alone.err
  [ ! -s alone.log ] && grep -q '^not sent: .*"bob"' alone.err
  (umask 077 && echo "key: 0123456789abcdef0123456789abcdef" > key.txt)
  timeout 120 "$stage/bin/msdk" serve lobby --address 127.0.0.1 --api-key key.txt > served.log &
  room=$!
  trap 'kill $room' EXIT
  for _ in $(seq 300); do grep -qs 'ws://' served.log && break; sleep 0.1; done
  url=livekit+$(grep -o 'ws://[^ ]*' served.log | head -n 1)
  token() { "$stage/bin/msdk" token --room lobby --user "$1" --api-key key.txt; }
  mkfifo typed
  TOKEN=$(token bob) timeout 60 ./chat "$url" bob < typed > bob.log &
  bob=$!
  exec 3> typed
  (for _ in $(seq 300); do grep -qs '^bob is here' alice.log && break; sleep 0.1; done; printf 'hello\n@bob you alone\n') |
    TOKEN=$(token alice) timeout 60 ./chat "$url" alice > alice.log
  for _ in $(seq 300); do grep -qs '^alice left$' bob.log && break; sleep 0.1; done
  exec 3>&-
  wait "$bob"
  grep -q '^alice: hello$' bob.log && grep -q '^alice: you alone$' bob.log && grep -q '^alice left$' bob.log
)
ok "Examples/C/chat.c builds with pkg-config, and two of them write each other"

# Two programs, of which one calls a method of the other.
cp Examples/C/rpc.c "$root"
(
  cd "$root"
  $cc rpc.c $(pkg-config --cflags --libs mediasdk) -o rpc
  export LD_LIBRARY_PATH=$stage/lib
  timeout 120 "$stage/bin/msdk" serve lobby --address 127.0.0.1 --api-key key.txt > calls.log &
  room=$!
  trap 'kill $room' EXIT
  for _ in $(seq 300); do grep -qs 'ws://' calls.log && break; sleep 0.1; done
  url=livekit+$(grep -o 'ws://[^ ]*' calls.log | head -n 1)
  token() { "$stage/bin/msdk" token --room lobby --user "$1" --api-key key.txt; }
  TOKEN=$(token bob) timeout 60 ./rpc "$url" bob &
  bob=$!
  [ "$(TOKEN=$(token alice) timeout 60 ./rpc "$url" alice bob sum '1 2 3.5')" = 'bob: 6.5' ]
  ! TOKEN=$(token alice) timeout 60 ./rpc "$url" alice bob sum 'one two' > failed.log
  grep -q '^bob: failure 1: numbers' failed.log
  kill -INT "$bob"
  wait "$bob"
)
ok "Examples/C/rpc.c builds with pkg-config, and one of them calls a method of the other"

# Two programs, of which one sends the other a file.
cp Examples/C/files.c "$root"
(
  cd "$root"
  $cc files.c $(pkg-config --cflags --libs mediasdk) -o files
  export LD_LIBRARY_PATH=$stage/lib
  timeout 120 "$stage/bin/msdk" serve lobby --address 127.0.0.1 --api-key key.txt > files.log &
  room=$!
  trap 'kill $room' EXIT
  for _ in $(seq 300); do grep -qs 'ws://' files.log && break; sleep 0.1; done
  url=livekit+$(grep -o 'ws://[^ ]*' files.log | head -n 1)
  token() { "$stage/bin/msdk" token --room lobby --user "$1" --api-key key.txt; }
  mkdir received
  TOKEN=$(token bob) env --chdir=received timeout 60 ../files "$url" bob > bob.log &
  bob=$!
  head -c 3000000 /dev/urandom > sent.bin
  TOKEN=$(token alice) timeout 60 ./files "$url" alice bob sent.bin 'have a look'
  for _ in $(seq 300); do grep -qs 'have a look' bob.log && break; sleep 0.1; done
  kill -INT "$bob"
  wait "$bob"
  cmp sent.bin received/sent.bin
  grep -q '^alice: sent.bin$' bob.log && grep -q '^alice: have a look$' bob.log
)
ok "Examples/C/files.c builds with pkg-config, and one of them sends the other a file"

# A program and GStreamer, to each other. The ports are free, and beside those that others are given.
cp Examples/C/rtp.c "$root"
port=$(python3 -c 'import socket; one = socket.socket(type=socket.SOCK_DGRAM); one.bind(("", 0)); print(one.getsockname()[1] & 0x3FFC | 0x4000)')
(cd "$root" && $cc rtp.c $(pkg-config --cflags --libs mediasdk) -o rtp && LD_LIBRARY_PATH=$stage/lib timeout 60 ./rtp --run 2 "$port" $((port + 2)) > rtp.log)
grep -q 'of them mirrored' "$root/rtp.log"
ok "Examples/C/rtp.c builds with pkg-config, and GStreamer sends back what it sent"

# A call of two processes, and one that does not know the token.
cp Examples/C/serve.c "$root"
(
  cd "$root"
  $cc serve.c $(pkg-config --cflags --libs mediasdk) -o serve
  export LD_LIBRARY_PATH=$stage/lib
  plugins=$(echo "$stage"/lib/mediasdk/plugins-*)
  timeout 120 ./serve "$plugins" 5 sesame > host.log &
  for _ in $(seq 300); do grep -qs '^livekit+ws' host.log && break; sleep 0.1; done
  url=$(grep '^livekit+ws' host.log)
  if timeout 60 ./serve "$plugins" 1 guess "$url" 2> guess.log; then exit 1; fi
  grep -q 'not let in' guess.log
  timeout 120 ./serve "$plugins" 1 sesame "$url" > guest.log
  wait
  grep -q '^host sent .* frames of 640x360' guest.log
  grep -q '^guest sent .* frames of 640x360' host.log
)
ok "Examples/C/serve.c builds with pkg-config, and two of them hold a call"

# A feeder, which links its own library alone, and the session that it feeds.
cp Examples/C/ingest.c Examples/C/feeder.c "$root"
(
  cd "$root"
  $cc ingest.c $(pkg-config --cflags --libs mediasdk) -o ingest
  $cc feeder.c $(pkg-config --cflags --libs mediasdk-feeder) -o feeder
  export LD_LIBRARY_PATH=$stage/lib
  if ldd feeder | grep -q 'libmediasdk\.so'; then exit 1; fi
  timeout 60 ./ingest key > ingest.log &
  for _ in $(seq 300); do grep -qs 'is open' ingest.log && break; sleep 0.1; done
  timeout 60 ./feeder key 1 > feeder.log
  wait
  grep -q 'it said goodbye' ingest.log
)
ok "Examples/C/feeder.c builds with pkg-config mediasdk-feeder and feeds Examples/C/ingest.c"

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

# The same programs by CMake and Meson.
cp -r Examples/CMake "$root/cmake"
cp -r Examples/Meson "$root/meson"
mkdir -p "$root/C" && cp Examples/C/send.c Examples/C/feeder.c "$root/C"
cp -r Examples/Plugin "$root/Plugin"
(
  cd "$root/cmake"
  cmake -S . -B build -DCMAKE_PREFIX_PATH="$stage" > configure.log
  cmake --build build > build.log
  LD_LIBRARY_PATH=$stage/lib timeout 60 build/send > send.log
  "$stage/bin/msdk" inspect --plugins build > inspect.log
  grep -q org.example.gradient inspect.log
  [ "$(nm -D --defined-only build/gradient.so | wc -l)" = 1 ]
)
ok "Examples/CMake builds by find_package, and its program runs"
(
  cd "$root/meson"
  meson setup build > configure.log
  meson compile -C build > build.log
  LD_LIBRARY_PATH=$stage/lib timeout 60 build/send > send.log
  "$stage/bin/msdk" inspect --plugins build > inspect.log
  grep -q org.example.gradient inspect.log
)
ok "Examples/Meson builds by dependency(), and its program runs"

# A library of an architecture's directory, as a distribution has it, finds the plugins and the host; and what was installed goes.
make --no-print-directory -s install DESTDIR="$root/multiarch" PREFIX=/usr LIBDIR="/usr/lib/$($cc -print-multiarch)" > "$root/multiarch.log"
"$root/multiarch/usr/bin/msdk" inspect > "$root/multiarch.inspect"
grep -q org.mediasdk.producer.testpattern "$root/multiarch.inspect"
mkdir -p "$root/multiarch/usr/lib/mediasdk/plugins-1"
touch "$root/multiarch/usr/lib/mediasdk/plugins-1/others.so"
make --no-print-directory -s uninstall DESTDIR="$root/multiarch" PREFIX=/usr LIBDIR="/usr/lib/$($cc -print-multiarch)" > "$root/uninstalled.log"
[ "$(cd "$root/multiarch" && find . ! -type d)" = ./usr/lib/mediasdk/plugins-1/others.so ]
ok "make install with a LIBDIR of the architecture works, and make uninstall leaves only what is of others"

# The binding, installed by pip with what was built.
python3 -m venv "$root/env"
"$root/env/bin/pip" install --quiet --disable-pip-version-check --no-index ./Bindings/Python
(cd "$root" && timeout 60 env/bin/python "$OLDPWD/packaging/wheel/first.py" > first.log && grep -q '^bob received 640x360, ' first.log && env/bin/msdk --version > version.log)
ok "pip install ./Bindings/Python brings the library and the tool"

# The tool finds the plugins that were installed beside it.
grep -q org.mediasdk.producer.testpattern "$root/inspect.log"
ok "msdk finds the installed plugins"

echo "$passed passed, 0 failed"
