#!/bin/sh
# Install the named Debian packages that are missing. Says what it does; quiet when there is nothing to do.
#
#   setup.sh PACKAGE...                   install them, as root
#   setup.sh --check TARGET PACKAGE...    install nothing; if some are missing, name them and the make target that does
#
# On a machine without dpkg it takes for granted that everything is there.
set -eu
LOCK_WAIT_S=600 # for another package manager: a fresh virtual machine often installs its updates
target=
[ "${1:-}" != --check ] || { target=$2; shift 2; }
command -v dpkg-query > /dev/null || exit 0

missing=""
installed=$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2> /dev/null | sed -n 's/ install ok installed$//p')
for package in "$@"; do
	printf '%s\n' "$installed" | grep -qxF "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ -n "$target" ]; then
	echo "setup: these packages are missing; run \`make $target\` as root to install them:$missing" >&2
	exit 1
fi
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

apt() { apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout="$LOCK_WAIT_S" "$@"; }

# `apt-get update` does not wait for its own lock in Debian 12.
update() {
	waited=0
	until apt update; do
		[ "$waited" -lt "$LOCK_WAIT_S" ] && tail -n 5 "$log" | grep -q 'Could not get lock' || return 1
		sleep 5
		waited=$((waited + 5))
	done
}

# A mirror may be busy, or change just now.
install() {
	# shellcheck disable=SC2086
	update && apt install -y --no-install-recommends $missing
}

if ! { install || { sleep 20 && install; }; } > "$log" 2>&1; then
	tail -n 20 "$log" >&2
	echo "setup: apt-get failed; its output is in $log" >&2
	exit 1
fi
rm -f "$log"
