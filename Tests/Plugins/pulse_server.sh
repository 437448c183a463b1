#!/bin/sh
# A PulseAudio daemon of one's own, with a sink that is heard by nobody ("speaker") and its monitor ("speaker.monitor"); for tests.
#   pulse_server.sh START DIR    starts it and waits until it answers; prints the address for PULSE_SERVER. Every user may do so, root too
#   pulse_server.sh KILL DIR     ends it at once, as a crash does
#   pulse_server.sh STOP DIR     ends it, and removes DIR
# One that is forgotten ends by itself ten minutes after its last client.
set -eu
what=${1:?usage: pulse_server.sh START|KILL|STOP DIR}
dir=${2:?usage: pulse_server.sh START|KILL|STOP DIR}

# Ends exactly the process that START began: its number might belong to another by now.
end() {
  [ -f "$dir/pid" ] || return 0
  pid=$(cat "$dir/pid")
  if tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q -F "$dir/script"; then
    kill -KILL "$pid" 2>/dev/null || true
    tries=0
    while [ -d "/proc/$pid" ] && [ $tries -lt 100 ]; do
      ! grep -q '^State:.*zombie' "/proc/$pid/status" 2>/dev/null || break
      sleep 0.05
      tries=$((tries + 1))
    done
  fi
  rm -f "$dir/pid" "$dir/native"
}

case $what in
START)
  mkdir -p "$dir/run"
  chmod 700 "$dir" "$dir/run"
  dir=$(cd "$dir" && pwd)
  end
  cat >"$dir/script" <<END
load-module module-null-sink sink_name=speaker rate=48000 channels=2 format=float32le
set-default-sink speaker
set-default-source speaker.monitor
load-module module-native-protocol-unix auth-anonymous=1 auth-cookie-enabled=0 socket=$dir/native
END
  # Nothing of the user's own is read or written, and no session bus is asked.
  env -u DISPLAY -u PULSE_SERVER -u PULSE_SINK -u PULSE_SOURCE HOME="$dir" XDG_RUNTIME_DIR="$dir/run" XDG_CONFIG_HOME="$dir/run" \
    PULSE_RUNTIME_PATH="$dir/run" PULSE_STATE_PATH="$dir/run" DBUS_SESSION_BUS_ADDRESS=unix:path=/nonexistent \
    DBUS_SYSTEM_BUS_ADDRESS=unix:path=/nonexistent \
    pulseaudio -n --daemonize=no --exit-idle-time=600 --use-pid-file=no --realtime=no --high-priority=no \
    --log-target=file:"$dir/log" -F "$dir/script" </dev/null >/dev/null 2>&1 &
  echo $! >"$dir/pid"
  tries=0
  until [ -S "$dir/native" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 200 ] || ! kill -0 "$(cat "$dir/pid")" 2>/dev/null; then
      echo "pulseaudio does not start:" >&2
      tail -5 "$dir/log" >&2 || true
      exit 1
    fi
    sleep 0.05
  done
  echo "unix:$dir/native"
  ;;
KILL) end ;;
STOP)
  [ -f "$dir/script" ] || exit 0
  dir=$(cd "$dir" && pwd)
  end
  rm -rf "$dir/run" "$dir/script" "$dir/log"
  rmdir "$dir"
  ;;
*)
  echo "usage: pulse_server.sh START|KILL|STOP DIR" >&2
  exit 2
  ;;
esac
