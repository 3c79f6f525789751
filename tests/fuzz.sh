#!/bin/sh
# Run the fuzzers of tests/fuzz, each for SECONDS, two at a time: those that are named, or all. What an input may cost is
# in tests/fuzz/fuzz.h; LIMIT (60) is a bound on the wall clock, for one that waits. What was learnt is kept in
# BUILD/corpus/NAME; an input that breaks something is named and kept. Usage: fuzz.sh BUILD SECONDS [LIMIT [NAME...]]
set -eu
[ $# -ge 2 ] || { echo "usage: fuzz.sh BUILD SECONDS [LIMIT [NAME...]]" >&2; exit 2; }
here=$(cd "$(dirname "$0")/fuzz" && pwd)
build=$1
seconds=$2
limit=${3:-60}
# What is freed is kept for a while, to see who still uses it: not so much that the limit of memory is reached.
export ASAN_OPTIONS="quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
[ $# -le 3 ] || { shift 3; names=$*; }

# A copy whose header says that there are no section headers. Usage: bare FILE OUTPUT
bare() {
	cp "$1" "$2"
	printf '\0\0\0\0\0\0\0\0' | dd of="$2" bs=1 seek=40 conv=notrunc status=none
	printf '\0\0\0\0' | dd of="$2" bs=1 seek=60 conv=notrunc status=none
}

# An executable of a few kilobytes with notes of every shape, linked anew: nothing binary is kept.
# Usage: seed OUTPUT LINKER_OPTION...
seed() {
	out=$1
	shift
	${CC:-cc} -x assembler - -nostdlib -shared -Wl,--build-id=none -Wl,-z,noseparate-code \
		-Wl,-z,max-page-size=64 "$@" \
		-o "$out" << 'ASM'
	.macro note name, args, site, semaphore
	.pushsection .note.stapsdt, "", "note"
	.balign 4
	.4byte 2f - 1f, 4f - 3f, 3
1:	.asciz "stapsdt"
2:	.balign 4
3:	.8byte \site, _.stapsdt.base, \semaphore
	.asciz "erlang"
	.asciz "\name"
	.asciz "\args"
4:	.balign 4
	.popsection
	.endm

	.text
	.globl erts_schedule
	.type erts_schedule, "function"
erts_schedule:
	nop
.Lsecond:
	nop
	ret
	.size erts_schedule, . - erts_schedule

	note message__send, "8@%rsi 8@%r8 -8@%rcx 4@$3", erts_schedule, message_semaphore
	note gc_major__start, "-4@-20(%rbp,%rax,8) 8@erts_this(%rip)", .Lsecond, gc_semaphore
	note process__exit, "8@x0 -4@w1 8@[sp, 16] 8@[x0, #:lo12:erts_this]", .Lsecond, 0
	note driver__init, "", erts_schedule + 2, 1

	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base:
	.space 1
	.section .probes, "aw", "progbits"
	.balign 2
message_semaphore:
	.2byte 0
gc_semaphore:
	.2byte 0
	.data
	.globl erts_this
	.type erts_this, "object"
erts_this:
	.8byte 0
	.size erts_this, 8
	.globl etp_otp_release
	.type etp_otp_release, "object"
etp_otp_release:
	.asciz "25"
	.size etp_otp_release, 3
	.section .note.GNU-stack, "", "progbits"
ASM
}

dict_of() {
	if grep -q '^#include "foreign.h"' "$here/$1.c"; then
		echo "$here/foreign.dict"
	elif [ -f "$here/$1.dict" ]; then
		echo "$here/$1.dict"
	fi
}

run() {
	name=$1
	corpus=$build/corpus/$name
	log=$build/corpus/$name.log
	found=$build/found-$name-
	dict=$(dict_of "$name")
	mkdir -p "$corpus"
	set -- "$corpus"
	if [ -d "$here/corpus/$name" ]; then
		set -- "$corpus" "$here/corpus/$name"
	fi
	if [ "$name" = d ] || [ "$name" = d_parse ]; then
		"$here/d_seeds.py" "$corpus"
	fi
	if [ "$name" = d ]; then
		set -- "$@" -max_len=4096 "$here/../d"
	fi
	if [ "$name" = note ]; then
		seed "$corpus/seed-stripped" -s
		seed "$corpus/seed-with-symbols" -g
		bare "$corpus/seed-stripped" "$corpus/seed-bare"
	fi
	if grep -q '^#include "foreign.h"' "$here/$name.c"; then
		"$here/vm.py" "$corpus/seed-25" 25
		"$here/vm.py" "$corpus/seed-27" 27
		"$here/vm.py" "$corpus/seed-code-25" 25 code
		"$here/vm.py" "$corpus/seed-code-27" 27 code
	fi
	if "$build/fuzz-$name" ${dict:+"-dict=$dict"} -max_total_time="$seconds" -timeout="$limit" -rss_limit_mb=512 \
		-malloc_limit_mb=600 -print_final_stats=1 -artifact_prefix="$found" "$@" > "$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		echo "fuzz $name: $runs runs in $seconds s, nothing found"
		return
	fi
	grep -E '^(==|SUMMARY|it does not hold)|runtime error|ERROR' "$log" | head -n 20 >&2 ||
		tail "$log" >&2
	input=$(sed -n 's/.*Test unit written to //p' "$log")
	echo "fuzz $name: FAILED; input: ${input:-none}; all it said: $log"
	return 1
}

if [ -n "${names:-}" ]; then
	bad=0
	for name in $names; do
		run "$name" || bad=1
	done
	exit $bad
fi
for source in "$here"/*.c; do
	basename "$source" .c
done | xargs -P 2 -n 1 "$0" "$build" "$seconds" "$limit"
