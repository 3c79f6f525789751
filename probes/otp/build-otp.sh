#!/bin/sh
# Build an Erlang VM to work against, from Debian's source package, into a cache outside the tree.
#
#   build-otp.sh 25 usdt      OTP of Debian 12 with SDT notes: JIT, and the emu flavor beside it
#   build-otp.sh 27 usdt      OTP of Debian 13 with SDT notes
#   build-otp.sh 27 stock     the same without notes, stripped as distributions ship it
#   build-otp.sh 29 usdt      OTP of Debian's unstable suite with SDT notes
#   build-otp.sh 29 stock     the same without notes, with its symbols as an installation from source leaves them
#
# The result is $ERLBPF_CACHE/otp-VERSION-KIND (default cache: ~/.cache/erlbpf), and a link
# otp-RELEASE-KIND to it. Both are printed as one path on stdout; everything else goes to stderr.
# A VM that is there already is not built again. The apt configuration of the machine is not
# touched: source packages are looked up with a private one that is derived from it (suite.sh).
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/suite.sh"

release=${1:?usage: build-otp.sh RELEASE usdt|stock}
kind=${2:?usage: build-otp.sh RELEASE usdt|stock}
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}
link=$cache/otp-$release-$kind

case $release in
25) suites=bookworm flavors="jit emu" ;;
27) suites=trixie flavors="jit" ;;
29) suites="sid forky" flavors="jit" ;;
*) echo "build-otp: no recipe for OTP $release (25, 27 and 29 are known)" >&2; exit 2 ;;
esac
case $kind in
usdt) trace="--with-dynamic-trace=systemtap" ;;
stock) trace="" ;;
*) echo "build-otp: KIND is usdt or stock, not '$kind'" >&2; exit 2 ;;
esac

say() { echo "build-otp: $*" >&2; }

mkdir -p "$cache"
exec 9>"$cache/.lock-$release-$kind"
flock 9
if [ -x "$link/bin/erl" ]; then
	readlink -f "$link"
	exit 0
fi

work=$cache/build-$release-$kind
log=$cache/build-$release-$kind.log
rm -rf "$work"
mkdir -p "$work"
: > "$log"
on_exit() {
	[ "$1" = 0 ] || { say "failed; the end of $log:"; tail -n 20 "$log" >&2; }
}
trap 'on_exit $?' EXIT

fetch_from() {
	suite_open "$work/apt" deb-src "$1" 2>> "$log" &&
		suite_apt update >> "$log" 2>&1 &&
		(cd "$work" && suite_apt source --only-source erlang >> "$log" 2>&1)
}

# The first suite that has it: an archive may list a version before it can be had, and the next suite has the one
# before that.
fetch_source() {
	say "fetching the source of OTP $release"
	for suite in $suites; do
		if fetch_from "$suite"; then
			break
		fi
	done
	src=$(find "$work" -maxdepth 1 -type d -name 'erlang-*' | head -n 1)
	version=$(cat "$src/OTP_VERSION")
	case $version in
	"$release".*) ;;
	*) say "$suites have OTP $version, not $release"; exit 1 ;;
	esac
}

# Only what a node and its tests need: the VM, the standard library, and runtime_tools for dyntrace.
unwanted="asn1 common_test crypto debugger dialyzer diameter edoc eldap erl_docgen et eunit ftp
inets jinterface megaco mnesia observer odbc os_mon public_key reltool snmp ssh ssl syntax_tools tftp
wx xmerl"

configure_and_make() {
	say "building OTP $version ($kind), some minutes; log in $log"
	cd "$src"
	without=""
	for app in $unwanted; do without="$without --without-$app"; done
	export ERL_TOP="$src" LC_ALL=C
	# shellcheck disable=SC2086
	./configure $trace $without --disable-parallel-configure >> "$log" 2>&1
	make -j"$(nproc)" >> "$log" 2>&1
	for flavor in $flavors; do
		[ "$flavor" = jit ] || make -j"$(nproc)" -C erts/emulator FLAVOR="$flavor" >> "$log" 2>&1
	done
}

install_into_cache() {
	prefix=$cache/otp-$version-$kind
	rm -rf "$prefix" "$prefix.new"
	make release RELEASE_ROOT="$prefix.new" >> "$log" 2>&1
	for flavor in $flavors; do
		[ "$flavor" = jit ] || cp bin/*/beam."$flavor" "$prefix.new"/erts-*/bin/
	done
	case $release-$kind in
	25-stock | 27-stock) strip --strip-unneeded "$prefix.new"/erts-*/bin/beam.* ;;
	esac
	mv "$prefix.new" "$prefix"
	(cd "$prefix" && ./Install -minimal "$prefix" >> "$log" 2>&1)
	ln -sfn "$prefix" "$link"
	cd /
	rm -rf "$work"
	say "installed $prefix"
	echo "$prefix"
}

fetch_source
configure_and_make
install_into_cache
