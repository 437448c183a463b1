#!/bin/sh
# An X server of one's own that shows nothing to anybody (Xvfb); for tests.
#   x11_server.sh START DIR [XVFB ARGUMENT...]   starts it and waits until it answers; prints the display, ":7" say. Its number is in DIR/pid.
#                                                Without arguments: one screen of 640x480 and 24 bits
#   x11_server.sh KILL DIR                       ends it at once, as a crash does
#   x11_server.sh STOP DIR                       ends it, and removes DIR
set -eu
usage='usage: x11_server.sh START|KILL|STOP DIR [XVFB ARGUMENT...]'
what=${1:?$usage}
dir=${2:?$usage}
shift 2

# Ends exactly the process that START began: its number might belong to another by now.
end() {
  [ -f "$dir/pid" ] || return 0
  pid=$(cat "$dir/pid")
  if tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -q -F "$dir/frames"; then
    kill -"$1" "$pid" 2>/dev/null || true
    kill -CONT "$pid" 2>/dev/null || true # it may have been halted
    tries=0
    while [ -d "/proc/$pid" ] && [ $tries -lt 200 ]; do
      ! grep -q '^State:.*zombie' "/proc/$pid/status" 2>/dev/null || break
      sleep 0.05
      tries=$((tries + 1))
    done
    kill -KILL "$pid" 2>/dev/null || true
  fi
  # A server that was killed leaves its socket's file behind. By then the number may be another server's.
  number=$(cat "$dir/display" 2>/dev/null || true)
  if [ -n "$number" ] && ! grep -q "/tmp/.X11-unix/X$number\$" /proc/net/unix; then rm -f "/tmp/.X11-unix/X$number"; fi
  rm -f "$dir/pid" "$dir/display"
}

case $what in
START)
  mkdir -p "$dir/frames"
  dir=$(cd "$dir" && pwd)
  end TERM
  [ $# -gt 0 ] || set -- -screen 0 640x480x24
  rm -f "$dir/number" # that of a server before this one is not to be read
  # -displayfd takes a number that is free. -fbdir tells this server from others by its command line.
  Xvfb "$@" -displayfd 3 -fbdir "$dir/frames" -nolisten tcp -noreset -ac </dev/null >"$dir/log" 2>&1 3>"$dir/number" &
  pid=$!
  echo "$pid" >"$dir/pid"
  tries=0
  until grep -q '^[0-9]' "$dir/number" 2>/dev/null; do
    tries=$((tries + 1))
    if [ $tries -gt 600 ] || ! kill -0 "$pid" 2>/dev/null; then
      echo "Xvfb does not start:" >&2
      tail -5 "$dir/log" >&2 || true
      exit 1
    fi
    sleep 0.05
  done
  tr -dc '0-9' <"$dir/number" >"$dir/display"
  echo ":$(cat "$dir/display")"
  ;;
KILL) end KILL ;;
STOP)
  [ -d "$dir" ] || exit 0
  dir=$(cd "$dir" && pwd)
  end TERM
  rm -f "$dir/number" "$dir/log" "$dir"/frames/*
  rmdir "$dir/frames" "$dir"
  ;;
*)
  echo "$usage" >&2
  exit 2
  ;;
esac
