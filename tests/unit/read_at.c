// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/read_at.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

Test(read_at, all_bytes_or_an_error)
{
	static const char text[] = "0123456789";
	int fd = memfd_create("read_at", MFD_CLOEXEC);
	char got[4] = "";

	cr_assert(eq(long, (long)write(fd, text, 10), 10));
	cr_expect(eq(int, read_at(fd, 3, got, 3), 0));
	expect_text(got, "345");
	cr_expect(eq(int, read_at(fd, 8, got, 3), -ENOENT), "it ends before");
	cr_expect(eq(int, read_at(fd, 10, got, 0), 0));
	cr_expect(eq(int, read_at(fd, UINT64_MAX - 1, got, 3), -ENOENT));
	cr_expect(eq(int, read_at(fd, INT64_MAX, got, 3), -ENOENT));
	close(fd);
	cr_expect(eq(int, read_at(fd, 0, got, 3), -EBADF));
}
