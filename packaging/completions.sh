#!/bin/sh
# Writes what the shells load to complete msdk's command lines, into SHARE as they look for it below share/ of an installation: the directory
# of `make install` or of a package.
# usage: packaging/completions.sh MSDK SHARE
set -eu
tool=$1 share=$2
put() {
  mkdir -p "$share/${2%/*}"
  "$tool" completions "$1" > "$share/$2"
  chmod 644 "$share/$2"
}
put bash bash-completion/completions/msdk
put zsh zsh/site-functions/_msdk
put fish fish/vendor_completions.d/msdk.fish
