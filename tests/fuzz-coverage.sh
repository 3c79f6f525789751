#!/bin/sh
# Replay the inputs of tests/fuzz/corpus, and those that BUILD/corpus has learnt, in the fuzzers that were built for it
# (make fuzz-coverage), and print how many lines and regions of each reader they reach. Usage: fuzz-coverage.sh BUILD
set -eu
[ $# -eq 1 ] || { echo "usage: fuzz-coverage.sh BUILD" >&2; exit 2; }
here=$(cd "$(dirname "$0")/fuzz" && pwd)
build=$1
to=$build/fuzz-coverage
rm -f "$to"/*.profraw
set --
for source in "$here"/*.c; do
	name=$(basename "$source" .c)
	mkdir -p "$build/corpus/$name" "$to/empty"
	kept=$here/corpus/$name
	[ -d "$kept" ] || kept=$to/empty
	scripts=$to/empty
	[ "$name" != d ] || scripts=$here/../d
	LLVM_PROFILE_FILE="$to/$name.profraw" "$to/fuzz-$name" -runs=0 "$build/corpus/$name" "$kept" "$scripts" \
		> "$to/$name.log" 2>&1 || { echo "an input of $name fails: see $to/$name.log" >&2; exit 1; }
	set -- "$@" -object "$to/fuzz-$name"
done
llvm-profdata merge -o "$to/all.profdata" "$to"/*.profraw
shift
llvm-cov export -summary-only -instr-profile="$to/all.profdata" "$@" |
	jq -r '.data[0].files[] | [.filename, .summary.lines.covered, .summary.lines.count, .summary.regions.covered,
		.summary.regions.count] | @tsv' |
	awk -F '\t' -v top="$(cd "$here/../.." && pwd)/" '
		{ sub(top, "", $1) }
		$1 ~ /^user\/.*\.c$/ && $3 > 0 {
			printf "| %s | %d of %d | %.1f %% | %.1f %% |\n", $1, $2, $3, 100 * $2 / $3, 100 * $4 / $5 | "sort"
		}
		BEGIN { print "| file | lines | of lines | of regions |\n|---|---|---|---|"; fflush() }'
