#!/bin/sh
# The builds of a release that `make fingerprints` takes as references: the VM alone, with its symbols, by gcc and clang of
# this machine, and by those of Debian's unstable suite, in the chroot of chroot-otp.sh. Two by each, since compilers
# differ more from each other than from their next version.
#
#   references.sh 29
#
# The results are $ERLBPF_CACHE/references-VERSION/COMPILER.smp (default cache: ~/.cache/erlbpf), which are printed on
# stdout. What is there already is not built again. About 15 minutes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
. "$here/suite.sh"

say() { echo "references: $*" >&2; }

# references.sh --build SOURCE RESULT CC CXX: within what has these compilers.
if [ "${1:-}" = --build ]; then
	[ -f "$3" ] && exit 0
	tree=$(dirname "$3")/tree
	rm -rf "$tree"
	cp -a "$2" "$tree"
	cd "$tree"
	export ERL_TOP="$tree" LC_ALL=C CC="$4" CXX="$5" CFLAGS="-O2 -g" CXXFLAGS="-O2 -g"
	say "building $3, some minutes; log in ${3%.smp}.log"
	{ ./configure --disable-parallel-configure --without-javac --without-wx --without-odbc && make -j"$(nproc)" -C erts/emulator; } \
		> "${3%.smp}.log" 2>&1 || { tail -n 20 "${3%.smp}.log" >&2; exit 1; }
	cp bin/*/beam.smp "$3"
	cd /
	rm -rf "$tree"
	exit 0
fi

release=${1:?usage: references.sh RELEASE}
suite=sid
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}
# The tree that a VM of this release was built of is gone; its version is known.
stock=$("$here/build-otp.sh" "$release" stock)
version=${stock##*/otp-}
version=${version%-stock}
results=$cache/references-$version
mkdir -p "$results"

fetch() {
	for from in $suite forky trixie; do
		suite_open "$results/apt" deb-src "$from"
		(suite_apt update && cd "$results" && suite_apt source --only-source erlang) > "$results/source.log" 2>&1 || continue
		[ ! -d "$(echo "$results"/erlang-"$version"*/)" ] || return 0
	done
	say "no suite has the source of $version; the last word of $results/source.log:"
	tail -n 3 "$results/source.log" >&2
	return 1
}

[ -d "$(echo "$results"/erlang-"$version"*/)" ] || fetch
source=$(echo "$results"/erlang-"$version"*/)

"$here/references.sh" --build "$source" "$results/gcc.smp" gcc g++
"$here/references.sh" --build "$source" "$results/clang.smp" clang clang++

root=$("$here/chroot-otp.sh" "$suite")
folder=$root$results
mkdir -p "$folder"
if [ ! -f "$results/gcc-$suite.smp" ] || [ ! -f "$results/clang-$suite.smp" ]; then
	say "installing compilers of $suite into $root"
	"$here/in-chroot.sh" "$root" /bin/sh -c "apt-get -q -o Acquire::Check-Valid-Until=false update &&
		DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
			gcc g++ clang make perl libncurses-dev" > "$results/chroot.log" 2>&1
	rm -rf "$folder/source"
	cp -a "$source" "$folder/source"
	for compiler in "gcc g++" "clang clang++"; do
		cc=${compiler% *}
		# shellcheck disable=SC2086  # two words
		"$here/in-chroot.sh" "$root" "$here/references.sh" --build "$results/source" "$results/$cc-$suite.smp" $compiler
		cp "$folder/$cc-$suite.smp" "$results/"
	done
	rm -rf "$folder"
fi
ls "$results"/*.smp
