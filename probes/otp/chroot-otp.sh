#!/bin/sh
# The Erlang of another suite of Debian as it is installed, with its own C library, and what runs on it.
#
#   chroot-otp.sh trixie      Debian 13: OTP 27
#   chroot-otp.sh sid         the unstable suite: OTP 29, stripped
#
# The result is $ERLBPF_CACHE/chroot-SUITE (default cache: ~/.cache/erlbpf): `in-chroot.sh FOLDER erl` starts its nodes. The
# folder is printed on stdout, everything else goes to stderr. One that is there already is not made again. Packages come
# from where the machine has its own from (suite.sh).
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/suite.sh"

suite=${1:?usage: chroot-otp.sh SUITE}
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}
root=$cache/chroot-$suite

# The VM with what nodes of tests need, and three systems that run on it.
packages="erlang-base erlang-dev erlang-runtime-tools rabbitmq-server ejabberd elixir"

say() { echo "chroot-otp: $*" >&2; }

mkdir -p "$cache"
exec 9>"$cache/.lock-chroot-$suite"
flock 9
if [ ! -e "$root/made" ]; then
	log=$cache/chroot-$suite.log
	work=$cache/chroot-$suite.apt
	rm -rf "$root" "$work"
	suite_open "$work" deb "$suite"
	say "making $root, about two minutes; log in $log"
	# Lists of unstable suites are valid for a week; a mirror may be later than that.
	mmdebstrap --variant=minbase --include="$(echo "$packages" | tr ' ' ',')" \
		--aptopt='Acquire::Check-Valid-Until "false"' --aptopt='APT::Install-Recommends "false"' \
		"$suite" "$root" "$work/sources.list" > "$log" 2>&1 || { say "failed; the end of $log:"; tail -n 20 "$log" >&2; exit 1; }
	rm -rf "$work"
	touch "$root/made"
fi
echo "$root"
