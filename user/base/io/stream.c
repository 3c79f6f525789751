// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Standard output that was closed is opened read-only, so that writes to it still fail. */
void stream_prepare(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
			return;
	}
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

void stream_restore(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

/* stdio drops a buffer that it cannot write, and errno is lost. The cause usually still exists or recurs. */
static int find_error(int fd)
{
	struct pollfd poll_fd = { .fd = fd };
	struct rlimit limit;
	struct statvfs room;
	struct stat file;

	if (poll(&poll_fd, 1, 0) > 0 && poll_fd.revents & POLLERR)
		return -EPIPE;
	if (write(fd, "", 0) < 0)
		return -errno;
	if (fstat(fd, &file) || !S_ISREG(file.st_mode))
		return -EIO;
	if (!getrlimit(RLIMIT_FSIZE, &limit) && (rlim_t)file.st_size >= limit.rlim_cur)
		return -EFBIG;
	return !fstatvfs(fd, &room) && !room.f_bavail ? -ENOSPC : -EIO;
}

int stream_flush(FILE *to)
{
	if (fflush(to))
		return -errno;
	return ferror(to) ? find_error(fileno(to)) : 0;
}
