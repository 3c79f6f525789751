#!/bin/sh
# Are the generated references what the sources say? `make docs` makes them so.
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$build/gen" docs probes/erlang.d probes/user_trace.d probes/vm.d > "$tmp/probes.md"
"$build/erlbpf" help --markdown-tools > "$tmp/tools.md"
"$build/erlbpf" help --markdown-translators > "$tmp/translators.md"
for file in probes.md tools.md translators.md; do
	diff -u "docs/$file" "$tmp/$file" || { echo "docs/$file is not up to date; run \`make docs\`"; exit 1; }
done
