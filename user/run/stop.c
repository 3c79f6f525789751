// SPDX-License-Identifier: BSD-2-Clause
#include "run/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int stop_fd = -1;
static void (*before_death)(void);

void stop_die(int number)
{
	if (before_death)
		before_death();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_first_signal(int number)
{
	uint64_t one = 1;

	(void)number;
	signal(SIGINT, stop_die);
	signal(SIGTERM, stop_die);
	(void)!write(stop_fd, &one, sizeof(one));
}

int stop_open(void (*last)(void))
{
	struct sigaction action = { .sa_handler = on_first_signal, .sa_flags = SA_RESTART };

	before_death = last;
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_fd < 0)
		return -errno;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	return stop_fd;
}
