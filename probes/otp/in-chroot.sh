#!/bin/sh
# in-chroot.sh ROOT PROGRAM ARGUMENTS...: the program of another root, as this process: its pid is the program's. It has this
# machine's /proc, /dev, /tmp, names of hosts and users, and the folder of the tests under the same path, in a mount
# namespace of its own, so that nothing stays mounted when it ends.
set -eu
root=${1:?usage: in-chroot.sh ROOT PROGRAM ARGUMENTS...}
if [ "${2:-}" != --inside ]; then
	shift
	exec unshare --mount --propagation private "$0" "$root" --inside "$PWD" "$@"
fi
folder=$3
shift 3
for path in /proc /dev /sys /tmp; do
	mount --rbind "$path" "$root$path"
done
for path in /etc/hosts /etc/resolv.conf; do
	[ ! -e "$path" ] || { touch "$root$path"; mount --bind "$path" "$root$path"; }
done
# What the tests and the build folder of this tree hold.
tree=$(cd "$(dirname "$0")/../.." && pwd)
for path in "$tree" "${ERLBPF_BUILD:-}"; do
	[ -d "$path" ] || continue
	mkdir -p "$root$path"
	mount --rbind "$path" "$root$path"
done
[ -d "$root$folder" ] || folder=/
exec chroot "$root" /usr/bin/env -C "$folder" HOME="$HOME" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
