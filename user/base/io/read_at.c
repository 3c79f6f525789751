// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/read_at.h"

#include <errno.h>
#include <unistd.h>

int read_at(int fd, uint64_t offset, void *to, size_t size)
{
	size_t have = 0;

	if (size > INT64_MAX || offset > INT64_MAX - size)
		return -ENOENT;
	while (have < size) {
		ssize_t n = pread(fd, (char *)to + have, size - have, (off_t)(offset + have));

		if (!n)
			return -ENOENT;
		if (n < 0 && errno != EINTR)
			return -errno;
		have += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
