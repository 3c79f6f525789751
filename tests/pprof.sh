#!/bin/sh
# Prints the path of Go's pprof: the one program of Debian's package, unpacked into the cache and not installed, since the
# compiler around it takes 300 MB. What is there already is not fetched again.
set -eu
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}
program=$cache/pprof
mkdir -p "$cache"
exec 9>"$cache/.lock-pprof"
flock 9
if [ ! -x "$program" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	chmod 755 "$work"
	cd "$work"
	# golang-go is of whichever version this Debian has: it depends on it by name.
	package=$(apt-cache depends golang-go | sed -n 's/^ *Depends: \(golang-[0-9.]*-go\)$/\1/p')
	apt-get download -q -o Acquire::Retries=3 "$package" > "$work/log" 2>&1 ||
		{ echo "Debian's $package cannot be had: $(grep '^[EW]:' "$work/log" | tail -n 1)" >&2; exit 1; }
	dpkg-deb --fsys-tarfile ./*.deb | tar -x --wildcards './usr/lib/go-*/pkg/tool/linux_*/pprof'
	cp usr/lib/go-*/pkg/tool/linux_*/pprof "$program.new"
	mv "$program.new" "$program"
fi
echo "$program"
