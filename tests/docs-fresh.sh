#!/bin/sh
# Are the generated references what the sources say? `make docs` makes them so.
set -eu
build=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
docs/generate/docs.py "$build" "$tmp"
(cd "$tmp" && find . -type f) | while read -r file; do
	diff -u "$file" "$tmp/$file" || { echo "$file is not up to date; run \`make docs\`"; exit 1; }
done
