#!/bin/sh
# Prints the path of a VictoriaMetrics that takes OTLP: Debian 13's package, unpacked into the cache and not installed,
# since Debian 12's is older than that. What is there already is not fetched again.
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/../probes/otp/suite.sh"
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}
program=$cache/victoria-metrics
mkdir -p "$cache"
exec 9>"$cache/.lock-victoria"
flock 9
if [ ! -x "$program" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	suite_open "$work/apt" deb trixie
	cd "$work"
	{ suite_apt update && suite_apt download victoria-metrics; } > "$work/log" 2>&1 ||
		{ echo "Debian 13's victoria-metrics cannot be had: $(grep '^[EW]:' "$work/log" | tail -n 1)" >&2; exit 1; }
	dpkg-deb -x ./*.deb "$work/files"
	cp "$work/files/usr/bin/victoria-metrics" "$program.new"
	mv "$program.new" "$program"
fi
echo "$program"
