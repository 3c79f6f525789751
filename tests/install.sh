#!/bin/sh
# Does `make install` put the program, its man page, its completions and the bpftrace scripts where PREFIX
# and DESTDIR say, and does `make uninstall` take them away?
set -eu
build=$1
to=$(mktemp -d)
trap 'rm -rf "$to"' EXIT
make -s BUILD="$build" DESTDIR="$to" PREFIX=/opt/erlbpf install
for file in sbin/erlbpf share/man/man8/erlbpf.8 share/man/man8/erlbpf-export.8 share/man/man8/erlbpf-profile.8 share/bash-completion/completions/erlbpf \
	share/zsh/site-functions/_erlbpf share/erlbpf/bt/run share/erlbpf/bt/erl.h share/erlbpf/bt/gc.bt; do
	[ -s "$to/opt/erlbpf/$file" ] || { echo "install: $file is missing"; exit 1; }
done
"$to/opt/erlbpf/sbin/erlbpf" --version
# shellcheck disable=SC2016  # for the inner shell
PATH="$to/opt/erlbpf/sbin:$PATH" bash -c '
	. "$1"
	COMP_WORDS=(erlbpf sched-l) COMP_CWORD=1 COMP_LINE="erlbpf sched-l" COMP_POINT=14
	complete -p erlbpf > /dev/null
	function=$(complete -p erlbpf | sed -n "s/.*-F \([^ ]*\).*/\1/p")
	"$function"
	[ "${COMPREPLY[*]}" = "sched-latency" ] || { echo "completion gave: ${COMPREPLY[*]}"; exit 1; }
' completion "$to/opt/erlbpf/share/bash-completion/completions/erlbpf"
make -s BUILD="$build" DESTDIR="$to" PREFIX=/opt/erlbpf uninstall
[ -z "$(find "$to" -type f)" ] || { echo "uninstall leaves files"; exit 1; }
