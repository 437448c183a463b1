#!/usr/bin/env bash
# Runs targets under libFuzzer, each for so many seconds, on the committed inputs and on those that were found before, which stay in
# .build/fuzz/found. What ends a target stays in .build/fuzz/crashes. With "short" for the seconds, those in C run as often every time, on
# the committed inputs alone. usage: Tests/Fuzzing/run.sh SECONDS|short [TARGET...]
set -uo pipefail
cd "$(dirname "$0")/../.."

bin=.build/fuzz/bin
work=.build/fuzz
length=$1
shift
targets=("$@")
if [ ${#targets[@]} = 0 ]; then
  [ "$length" = short ] || targets=($("$bin/msdk-fuzz"))
  for target in Tests/Fuzzing/C/*.c; do targets+=("$(basename "$target" .c)"); done
fi
mkdir -p "$work/crashes" "$work/logs" "$work/found"

failed=0
for target in "${targets[@]}"; do
  program=("$bin/$target")
  [ -x "$bin/$target" ] || program=("$bin/msdk-fuzz" "$target")
  # Seconds and MB for one input, and its longest.
  options=(-timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=256 -max_len=4096)
  case $target in
    # The tables of modules stay for the life of a process.
    isolation_description) options=(-timeout=10 -rss_limit_mb=8192 -max_len=1024) ;;
    # Whole messages of the protocol.
  esac
  if [ "$length" = short ]; then
    inputs=("Tests/Fuzzing/Corpus/$target")
    options+=(-runs=20000 -seed=1 -timeout=60)
    # New inputs go nowhere.
    inputs=("$(mktemp -d "$work/found/short-XXXXXX")" "${inputs[@]}")
  else
    mkdir -p "$work/found/$target"
    inputs=("$work/found/$target" "Tests/Fuzzing/Corpus/$target")
    options+=(-max_total_time="$length")
  fi
  log=$work/logs/$target
  # Leaks are looked for by the tests; in a target the first ones would be those of libraries.
  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 SWIFT_BACKTRACE=enable=no "${program[@]}" "${inputs[@]}" "${options[@]}" \
    -artifact_prefix="$work/crashes/$target-" -print_final_stats=1 > "$log" 2>&1
  status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$log" | tail -1)
  echo "$target: ${executions:-?} executions, ${coverage:-no coverage}$([ $status = 0 ] || echo ", FAILED: see $log")"
  [ $status = 0 ] || failed=1
  [ "$length" != short ] || rm -rf "${inputs[0]}"
done
exit $failed
