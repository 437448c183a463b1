#!/usr/bin/env bash
# Makes a clean root of a Debian or Ubuntu release, to try packages in; once, the next time it is there. Needs root and mmdebstrap.
# usage: packaging/root.sh SUITE FOLDER [PACKAGE...]
set -euo pipefail
suite=$1 folder=$2
shift 2
[ ! -e "$folder/etc/os-release" ] || exit 0
case $suite in
  # Nobody installs from such a root: it is a test's. Its archive's keys may not be on this machine.
  jammy | noble) source="deb [trusted=yes] http://archive.ubuntu.com/ubuntu $suite main universe" ;;
  *) source="deb http://deb.debian.org/debian $suite main" ;;
esac
echo "set-up: making a root of $suite in $folder (mmdebstrap)"
mkdir -p "$(dirname "$folder")"
packages=$(IFS=,; echo "$*")
mmdebstrap --quiet --variant=apt ${packages:+--include="$packages"} "$suite" "$folder.new" "$source"
mv "$folder.new" "$folder"
