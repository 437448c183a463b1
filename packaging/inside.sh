#!/usr/bin/env bash
# Runs a script of sh in a root that packaging/root.sh made, with /proc and shared memory of its own. usage: packaging/inside.sh FOLDER SCRIPT
set -euo pipefail
export MSDK_ROOT=$1 MSDK_SCRIPT=$2
exec unshare --mount --pid --fork bash -ec '
  mkdir -p "$MSDK_ROOT/dev/shm"
  mount -t proc proc "$MSDK_ROOT/proc"
  mount -t tmpfs shm "$MSDK_ROOT/dev/shm"
  for device in null zero random urandom; do [ -e "$MSDK_ROOT/dev/$device" ] || { touch "$MSDK_ROOT/dev/$device"; mount --bind "/dev/$device" "$MSDK_ROOT/dev/$device"; }; done
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive chroot "$MSDK_ROOT" sh -ec "cd /root; $MSDK_SCRIPT"'
