// SPDX-License-Identifier: BSD-2-Clause
#include "etf/port.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "options.h"

#define PIECE 65536

int relay_address(const char *path, struct sockaddr_un *address)
{
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(address->sun_path))
		return -ENAMETOOLONG;
	strcpy(address->sun_path, path);
	return 0;
}

int relay_connect(void)
{
	const char *path = getenv("ERLBPF_SOCKET");
	struct sockaddr_un address;
	int err = relay_address(path && *path ? path : RELAY_SOCKET, &address), fd;

	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || !connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd < 0 ? -errno : fd;
	err = -errno;
	close(fd);
	return err;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return false;
		data += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Copies available bytes. False: one side ended. */
static bool pass_on(int from, int to)
{
	char piece[PIECE];
	ssize_t n = read(from, piece, sizeof(piece));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	return n && write_all(to, piece, (size_t)n);
}

int relay_run(int agent)
{
	struct pollfd ends[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = agent, .events = POLLIN } };
	bool goes_on = true;

	while (goes_on) {
		if (poll(ends, 2, -1) < 0)
			goes_on = errno == EINTR;
		else if (ends[1].revents)
			goes_on = pass_on(agent, STDOUT_FILENO);
		else if (ends[0].revents && !pass_on(STDIN_FILENO, agent)) {
			/* Earlier commands still get their replies. */
			ends[0].fd = -1;
			goes_on = !shutdown(agent, SHUT_WR);
		}
	}
	close(agent);
	return EXIT_OK;
}
