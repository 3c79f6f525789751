#!/bin/sh
# The dependency arrows of docs/architecture.md, held against every #include of user/ and tools/.
# A row: a folder, and the folders of user/ (or "." for user/ itself) that it may include.
set -eu
cd "$(dirname "$0")/.."
bad=0
say() { echo "arrows: $1" >&2; bad=1; }

allowed() {
	case $1 in
	base)   echo "base" ;;
	target) echo "base target" ;;
	probe)  echo "base target term probe" ;;
	term)   echo "base term" ;;
	out)    echo "base probe out" ;;
	run)    echo "base target probe out run tool.h options.h" ;;
	d)      echo "base d" ;;
	dtrace) echo "base target probe term out run d dtrace tool.h options.h" ;;
	serve)  echo "base target probe out run serve d dtrace tool.h options.h version.h" ;;
	cli)    echo "base target probe out run d dtrace serve cli tool.h options.h version.h" ;;
	tools)  echo "base probe out tool.h options.h" ;;
	esac
}

for dir in base target probe term out run serve d dtrace cli tools; do
	if [ "$dir" = tools ]; then set -- tools/*.c; else set -- user/"$dir"/*.[ch]; fi
	for file in "$@"; do
		sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file" | while read -r header; do
			case $header in
			*/*) top=${header%%/*} ;;
			*.skel.h) { [ "$dir" = tools ] || [ "$dir" = d ]; } && continue; top=$header ;;
			*.inc | *.def) continue ;;
			*.pb-c.h) [ "$dir" = serve ] && continue; top=$header ;;
			*) [ -f "bpf/$header" ] && continue; top=$header ;;
			esac
			case " $(allowed "$dir") " in
			*" $top "*) ;;
			*) echo "$file includes $header" ;;
			esac
		done
	done
done > "${TMPDIR:-/tmp}/arrows.$$"
while read -r line; do say "$line"; done < "${TMPDIR:-/tmp}/arrows.$$"
rm -f "${TMPDIR:-/tmp}/arrows.$$"

if grep -l '<bpf/' user/base/* user/target/* user/probe/* user/out/* user/d/* tools/*.c 2> /dev/null; then
	say "only run/ and dtrace/ may include libbpf"
fi
for tool in tools/*.c; do
	others=$(sed -n 's/^#include "\([a-z-]*\)\.skel\.h".*/\1/p' "$tool" | grep -v "^$(basename "$tool" .c)$" || true)
	[ -z "$others" ] || say "$tool includes another tool's $others.skel.h"
done
exit $bad
