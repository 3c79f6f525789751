#!/bin/sh
# Does the tarball of `make dist` build, and pass `make check`, where there is no git? dist.sh BUILD
set -eu
build=$1
if [ ! -e .git ]; then
	echo "this is a tarball already"
	exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
make --no-print-directory -s dist BUILD="$build"
tar -xzf "$build"/erlbpf-*.tar.gz -C "$tmp"
cd "$tmp"/erlbpf-*
grep -qx '[0-9a-f]\{7,\}' .commit
make --no-print-directory -s -j2 all check
