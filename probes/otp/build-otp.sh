#!/bin/sh
# Build Erlang VMs to work against, from Debian's source package, into a cache outside the tree.
#
#   build-otp.sh 25 usdt        OTP of Debian 12 with SDT notes
#   build-otp.sh 25 emu         the same without JIT
#   build-otp.sh 27 stock usdt  OTP of Debian 13 without and with notes
#   build-otp.sh 29 stock usdt  OTP of Debian's unstable suite without and with notes
#
# What kinds there are:
#   usdt         with SDT notes
#   stock        without notes. 25 and 27 are stripped as distributions ship them, and export their functions; 29, which
#                exports none, keeps its symbols as an installation from source leaves them
#   stripped     `stock` as Debian ships it: only with .dynsym, and with the link to its debug file, which is in .build-id/ of
#                the result, where nothing looks for it that is not told (ERLBPF_DEBUG_FILES)
#   emu          without JIT; of 25 with SDT notes
#   musl         without JIT, with the C library musl
#   static-nifs  with the NIFs of asn1 in the executable
#   no-plt       calls of libraries not by the PLT
#   lto          link-time optimization
#   clang        by another compiler
#   o3           by a compiler that inlines more
#
# The result is $ERLBPF_CACHE/otp-VERSION-KIND (default cache: ~/.cache/erlbpf), and a link otp-RELEASE-KIND to it. The
# link of each KIND is printed as a path on stdout; everything else goes to stderr. A VM that is there already is not
# built again. The first KIND of a version is built as a whole, of others only the VM: they get a copy of the rest. So
# it is cheaper to name all that are wanted at once. The apt configuration of the machine is not touched: source packages
# are looked up with a private one that is derived from it (suite.sh).
set -eu
# shellcheck source=/dev/null
. "$(dirname "$0")/suite.sh"

release=${1:?usage: build-otp.sh RELEASE KIND...}
: "${2:?usage: build-otp.sh RELEASE KIND...}"
shift
cache=${ERLBPF_CACHE:-${HOME:-/root}/.cache/erlbpf}

kinds="usdt stock stripped emu musl static-nifs no-plt lto clang o3"
case $release in
25) suites=bookworm ;;
27) suites=trixie ;;
29) suites="sid forky" ;;
*) echo "build-otp: no recipe for OTP $release (25, 27 and 29 are known)" >&2; exit 2 ;;
esac

say() { echo "build-otp: $*" >&2; }

# Those of crypto would take the headers of OpenSSL.
static_nifs() { echo "$tree/lib/asn1/priv/lib/$("$src/make/autoconf/config.guess")/asn1rt_nif.a"; }

# How the VM of a kind is configured.
options_of() {
	case $1 in
	usdt) echo --with-dynamic-trace=systemtap ;;
	emu)
		echo --disable-jit
		[ "$release" != 25 ] || echo --with-dynamic-trace=systemtap
		;;
	musl) echo --disable-jit --without-termcap ;; # there are no libraries for it but its own
	static-nifs) echo "--enable-static-nifs=$(static_nifs)" ;;
	esac
}

# The variables of the environment that it is built with. Nobody debugs the unusual ones.
environment_of() {
	case $1 in
	emu | static-nifs) echo "CFLAGS=-O2 CXXFLAGS=-O2" ;;
	no-plt) echo "CFLAGS='-O2 -fno-plt' CXXFLAGS='-O2 -fno-plt'" ;;
	lto) echo "CFLAGS='-O2 -flto=2' CXXFLAGS='-O2 -flto=2' LDFLAGS='-O2 -flto=2' AR=gcc-ar RANLIB=gcc-ranlib" ;;
	o3) echo "CFLAGS=-O3 CXXFLAGS=-O3" ;;
	clang) echo "CC=clang CXX=clang++ CFLAGS=-O2 CXXFLAGS=-O2" ;;
	musl) echo "CC=musl-gcc CFLAGS='-O2 -idirafter $work/headers'" ;;
	esac
}

# in_environment KIND COMMAND...
in_environment() {
	variables=$(environment_of "$1")
	shift
	eval env "$variables" '"$@"'
}

link_of() { echo "$cache/otp-$release-$1"; }
is_there() { [ -x "$(link_of "$1")/bin/erl" ]; }

for kind in "$@"; do
	case " $kinds " in *" $kind "*) ;; *) say "there is no kind '$kind', but: $kinds"; exit 2 ;; esac
done

mkdir -p "$cache"

find_missing() {
	missing=""
	for kind in "$@"; do
		# It is made of another one.
		[ "$kind" = stripped ] && kind=stock
		case " $missing " in *" $kind "*) continue ;; esac
		is_there "$kind" || missing="$missing $kind"
	done
}

all_are_there() {
	for kind in "$@"; do
		is_there "$kind" || return 1
	done
}

# Who needs nothing that is not there waits for nobody's build.
exec 9>"$cache/.lock-$release"
all_are_there "$@" || flock 9
find_missing "$@"

work=$cache/build-$release
tree=$work/tree
log=$cache/build-$release.log

fetch_from() {
	suite_open "$work/apt" deb-src "$1" 2>> "$log" &&
		suite_apt update >> "$log" 2>&1 &&
		{ (cd "$work" && suite_apt source --only-source erlang >> "$log" 2>&1) || fetch_unpatched "$1"; }
}

# A mirror that is behind its own list has the tarball of the version before, which is the same, and lacks Debian's
# newest patches to it.
fetch_unpatched() {
	(cd "$work" && suite_apt source --tar-only --only-source erlang >> "$log" 2>&1) || return 1
	tarball=$(find "$work" -maxdepth 1 -name 'erlang_*.orig.tar.*' | head -n 1)
	[ -n "$tarball" ] || return 1
	mkdir -p "$work/erlang-unpatched"
	tar -xf "$tarball" -C "$work/erlang-unpatched" --strip-components=1
	say "$1 has no patches to OTP $release at the moment: it is built without Debian's"
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

# In a tree without anything of another kind, under the same path: so that ccache, if there is one, knows it again.
configure_kind() {
	rm -rf "$tree"
	cp -a "$src" "$tree"
	cd "$tree"
	# The kernel's headers, which are not musl's.
	mkdir -p "$work/headers"
	ln -sfn /usr/include/linux /usr/include/asm-generic "/usr/include/$(gcc -print-multiarch)/asm" "$work/headers"
	without=""
	for app in $unwanted; do without="$without --without-$app"; done
	export ERL_TOP="$tree" LC_ALL=C
	# shellcheck disable=SC2046,SC2086
	in_environment "$1" ./configure $(options_of "$1") $without --disable-parallel-configure >> "$log" 2>&1
}

# One that has what is the same in all kinds.
sibling() {
	for other in "$cache/otp-$version-stock" "$cache/otp-$version-usdt"; do
		if [ -x "$other/bin/erl" ]; then
			echo "$other"
			return
		fi
	done
}

build_whole() {
	make -j"$(nproc)" >> "$log" 2>&1
	make release RELEASE_ROOT="$2" >> "$log" 2>&1
}

build_vm() {
	[ "$1" != static-nifs ] || make -C lib/asn1/c_src static_lib >> "$log" 2>&1
	in_environment "$1" make -j"$(nproc)" -C erts/emulator >> "$log" 2>&1
	cp -a "$3" "$2"
	rm "$2"/erts-*/bin/beam.*
	cp bin/*/beam.smp bin/*/erl_child_setup "$2"/erts-*/bin/
	case $1 in
	stock | usdt) # libraries that have notes
		make -C lib/runtime_tools/c_src >> "$log" 2>&1
		cp lib/runtime_tools/priv/lib/*/*.so "$2"/lib/runtime_tools-*/priv/lib/
		;;
	esac
}

# The folder that has been filled, in its place.
install_as() {
	prefix=$cache/otp-$version-$1
	rm -rf "$prefix"
	mv "$2" "$prefix"
	(cd "$prefix" && ./Install -minimal "$prefix" >> "$log" 2>&1)
	ln -sfn "$prefix" "$(link_of "$1")"
	say "installed $prefix"
}

build_kind() {
	say "building OTP $version ($1), some minutes; log in $log"
	new=$cache/otp-$version-$1.new
	rm -rf "$new"
	configure_kind "$1"
	other=$(sibling)
	if [ "$other" ]; then
		build_vm "$1" "$new" "$other"
	else
		build_whole "$1" "$new"
	fi
	case $release-$1 in
	25-stock | 27-stock) strip --strip-unneeded "$new"/erts-*/bin/beam.* ;;
	esac
	install_as "$1" "$new"
}

on_exit() {
	[ "$1" = 0 ] || { say "failed; the end of $log:"; tail -n 20 "$log" >&2; }
}

build_missing() {
	rm -rf "$work"
	mkdir -p "$work"
	: > "$log"
	trap 'on_exit $?' EXIT
	fetch_source
	for kind in $missing; do
		build_kind "$kind"
	done
	cd /
	rm -rf "$work"
}

# What Debian's packages do (dh_strip), but that the debug file is not where it is looked for.
strip_stock() {
	stock=$(readlink -f "$(link_of stock)")
	version=${stock##*/otp-}
	version=${version%-stock}
	new=$cache/otp-$version-stripped.new
	rm -rf "$new"
	cp -a "$stock" "$new"
	for file in "$new"/erts-*/bin/beam.smp; do
		id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
		rest=${id#??}
		folder=$new/.build-id/${id%"$rest"}
		mkdir -p "$folder"
		objcopy --only-keep-debug --compress-debug-sections "$file" "$folder/$rest.debug"
		chmod 644 "$folder/$rest.debug"
		strip --remove-section=.comment --remove-section=.note --strip-unneeded "$file"
		objcopy --add-gnu-debuglink="$folder/$rest.debug" "$file"
	done
	install_as stripped "$new"
}

[ ! "$missing" ] || build_missing
for kind in "$@"; do
	[ "$kind" != stripped ] || is_there stripped || strip_stock
	readlink -f "$(link_of "$kind")"
done
