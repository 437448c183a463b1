#!/usr/bin/env bash
# The manual pages are written as man and mandoc want them: neither has a warning.
# usage: docs/tools/check_man.sh DIRECTORY
set -euo pipefail
count=0 wrong=0
for page in "$1"/man*/*; do
  count=$((count + 1))
  found=$({ LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 > /dev/null || true; mandoc -T lint -W style "$page" || true; })
  if [ -n "$found" ]; then
    echo "$page: $found"
    wrong=$((wrong + 1))
  fi
done
echo "check_man: $count pages, $wrong with warnings"
[ "$wrong" = 0 ] && [ "$count" -gt 0 ]
