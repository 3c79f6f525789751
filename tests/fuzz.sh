#!/bin/sh
# Run every fuzzer of tests/fuzz for its share of SECONDS, two at a time. An input that takes longer than LIMIT seconds
# (5) is a failure; beside other work it needs more. Usage: fuzz.sh BUILD SECONDS [LIMIT]
# What was learnt is kept in BUILD/corpus/NAME; an input that breaks something is named and kept.
set -eu
[ $# -ge 2 ] || { echo "usage: fuzz.sh BUILD SECONDS [LIMIT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")/fuzz" && pwd)
build=$1
seconds=$2
limit=${3:-5}
bad=0

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

run() {
	name=$1
	corpus=$build/corpus/$name
	log=$build/corpus/$name.log
	found=$build/found-$name-
	set -- "$corpus"
	if [ -d "$here/corpus/$name" ]; then
		set -- "$corpus" "$here/corpus/$name"
	fi
	if [ "$name" = d ]; then
		set -- "$@" -max_len=4096 "$here/../d"
	fi
	if [ -f "$here/$name.dict" ]; then
		set -- "-dict=$here/$name.dict" "$@"
	fi
	if "$build/fuzz-$name" -max_total_time="$share" -timeout="$limit" -rss_limit_mb=512 \
		-print_final_stats=1 -artifact_prefix="$found" "$@" > "$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		echo "fuzz $name: $runs runs in $share s, nothing found"
		return
	fi
	bad=1
	grep -E '^(==|SUMMARY|it does not hold)|runtime error|ERROR' "$log" | head -n 20 >&2 ||
		tail "$log" >&2
	input=$(sed -n 's/.*Test unit written to //p' "$log")
	echo "fuzz $name: FAILED; input: ${input:-none}; all it said: $log"
}

count=$(find "$here" -name '*.c' | wc -l)
# Files of others are the most hostile of all: their reader has a third of the time, the others share the rest.
share_of() {
	case $1 in
	note) share=$(($2 / 3)) ;;
	*) share=$(($2 * 2 / 3 / (count - 1))) ;;
	esac
	[ "$share" -ge 5 ] || share=5
}

for source in "$here"/*.c; do
	mkdir -p "$build/corpus/$(basename "$source" .c)"
done
seed "$build/corpus/note/seed-stripped" -s
seed "$build/corpus/note/seed-with-symbols" -g

# Every second one, from that number on.
run_half() {
	number=$1
	for source in "$here"/*.c; do
		number=$((number + 1))
		[ $((number % 2)) -eq 0 ] || continue
		name=$(basename "$source" .c)
		share_of "$name" "$seconds"
		run "$name"
	done
	return $bad
}

run_half 0 &
half=$!
run_half 1 || bad=1
wait "$half" || bad=1
exit $bad
