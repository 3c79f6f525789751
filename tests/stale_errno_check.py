#!/usr/bin/env python3
"""Does tests/stale_errno.py find who reads another call's errno, or promises one and sets none, and nobody else?"""
import sys

import stale_errno

GOOD = """/* A descriptor, or -1 and errno. */
static int right(const char *path, int fd)
{
	int n, kept;

	if (fd < 0)
		return close(fd), look(path) ? 0 : -EINVAL;
	n = fd > 3 ? look(path) : read(fd, 0, 0) < 0 ? -errno : 0;
	if (n)
		warn("%s: %s", path, strerror(errno));
	fd = open(path, flags(path));
	kept = errno;
	close(fd);
	errno = kept;
	return -1;
}
"""
BAD = """static int between(int fd)
{
	if (read(fd, 0, 0) < 0) {
		close(fd);
		return -errno;
	}
	return 0;
}

static int of_its_own(void)
{
	return pthread_create(0, 0, 0, 0) ? -errno : 0;
}

/* NULL and errno. */
char *breaks_its_word(int fd)
{
	if (look(fd))
		return NULL;
	return malloc(1);
}
"""
WANTED = [
    "bad.c:5: between() reads errno after close()",
    "bad.c:12: of_its_own() reads errno after pthread_create()",
    "bad.c:19: breaks_its_word() promises errno after look()",
]


def main():
    texts = {"good.c": GOOD, "bad.c": BAD}
    ours = stale_errno.promised(texts)
    found = [line for path, text in texts.items() for line in stale_errno.stale(path, text, ours)]
    if found != WANTED:
        print("stale_errno_check: %s, not %s" % (found, WANTED), file=sys.stderr)
    return found != WANTED


if __name__ == "__main__":
    sys.exit(main())
