#!/bin/sh
# The Debian package: deb.sh BUILD makes BUILD/erlbpf_VERSION_ARCH.deb of what is built. The same tree gives the same
# package, byte by byte: times are SOURCE_DATE_EPOCH or 0, and owners are root.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
: "${SOURCE_DATE_EPOCH:=0}"
export SOURCE_DATE_EPOCH
umask 022
version=$("$build/erlbpf" --version | cut -d ' ' -f 2)
arch=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
doc=$root/usr/share/doc/erlbpf

make --no-print-directory -s -C "$here/.." BUILD="$build" DESTDIR="$root" PREFIX=/usr install
strip --strip-all "$root/usr/sbin/erlbpf"
mkdir -p "$root/usr/share/zsh/vendor-completions"
mv "$root/usr/share/zsh/site-functions/_erlbpf" "$root/usr/share/zsh/vendor-completions/"
rmdir "$root/usr/share/zsh/site-functions"
install -D -m 644 "$here/erlbpf-export.service" "$root/lib/systemd/system/erlbpf-export.service"
# Tokens may stand in it.
install -D -m 640 "$here/erlbpf-export.default" "$root/etc/default/erlbpf-export"
install -D -m 644 "$here/../LICENSE" "$doc/copyright"
cp -R "$here/../docs/deploy" "$doc/deploy"
printf 'erlbpf (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- erlbpf <erlbpf@localhost>  %s\n' "$version" \
	"$version" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" > "$doc/changelog"
gzip -9n "$doc/changelog" "$root"/usr/share/man/man*/*

# What it is linked with; libmicrohttpd is loaded when it serves, and libcurl when it pushes.
mkdir "$work/debian"
echo "Source: erlbpf" > "$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O -e root/usr/sbin/erlbpf 2> /dev/null | sed 's/^shlibs:Depends=//')
mkdir "$root/DEBIAN"
cat > "$root/DEBIAN/control" << EOF
Package: erlbpf
Version: $version
Architecture: $arch
Maintainer: erlbpf <erlbpf@localhost>
Installed-Size: $(du -sk --apparent-size --exclude DEBIAN "$root" | cut -f 1)
Depends: $depends, libmicrohttpd12
Suggests: libcurl4, ca-certificates, bpftrace, prometheus
Section: admin
Priority: optional
Description: DTrace for the Erlang VM on Linux
 Probes running Erlang nodes with eBPF: how long messages wait, what garbage
 collections cost, who keeps a scheduler, and whatever a script in D asks for.
 The nodes are neither restarted nor reconfigured.
 .
 erlbpf-export.service serves it to Prometheus all the time. It is not started
 before an administrator enables it; it needs libmicrohttpd12, and libcurl4
 to push to a receiver of OTLP.
EOF
echo /etc/default/erlbpf-export > "$root/DEBIAN/conffiles"
(cd "$root" && find usr lib -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum > DEBIAN/md5sums)
# Not enabled by itself: to put probes into an administrator's nodes is the administrator's choice.
cat > "$root/DEBIAN/postinst" << 'EOF'
#!/bin/sh
set -e
# dpkg leaves the mode of an earlier version, which let everybody read the tokens.
options=$DPKG_ROOT/etc/default/erlbpf-export
if [ "$1" = configure ] && [ -f "$options" ] && ! dpkg-statoverride --list "$options" > /dev/null; then
	chmod o-rwx "$options"
fi
if [ "$1" = configure ] && [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	systemctl try-restart erlbpf-export.service || true
fi
EOF
cat > "$root/DEBIAN/prerm" << 'EOF'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
	systemctl disable --now erlbpf-export.service || true
fi
EOF
cat > "$root/DEBIAN/postrm" << 'EOF'
#!/bin/sh
set -e
if [ "$1" = purge ]; then
	rm -rf "$DPKG_ROOT/var/cache/erlbpf"
fi
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
EOF
chmod 755 "$root/DEBIAN/postinst" "$root/DEBIAN/prerm" "$root/DEBIAN/postrm"
deb=$build/erlbpf_${version}_$arch.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$deb" > /dev/null
echo "$deb: $(du -k "$deb" | cut -f 1) kB"
