#!/bin/sh
# Install the named Debian packages that are missing. Says what it does; quiet when there is nothing.
set -eu
missing=""
for package in "$@"; do
	dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q ' installed$' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	echo "setup: these packages are missing; install them, or run this as root:$missing" >&2
	exit 1
fi
echo "setup: installing$missing" >&2
log=$(mktemp)
# Some packages are servers. Tests start their own; none is to run on this machine from now on.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
	trap 'rm -f "$policy"' EXIT
	trap 'exit 1' HUP INT TERM
	printf '#!/bin/sh\nexit 101\n' > "$policy"
	chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive
# A mirror may be busy, or change just now.
install() {
	# shellcheck disable=SC2086
	apt-get update -q -o Acquire::Retries=3 &&
		apt-get install -y -q --no-install-recommends -o Acquire::Retries=3 $missing
}
if ! { install || { sleep 20 && install; }; } > "$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "setup: apt-get failed; its output is in $log" >&2
	exit 1
fi
rm -f "$log"
