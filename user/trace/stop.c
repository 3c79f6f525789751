// SPDX-License-Identifier: BSD-2-Clause
#include "trace/stop.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int stop_fd = -1;
static void (*before_death)(void);
static volatile sig_atomic_t is_held, is_asked;

void stop_die(int number)
{
	if (before_death)
		before_death();
	signal(number, SIG_DFL);
	raise(number);
}

bool stop_is_asked(void)
{
	return is_asked;
}

void stop_hold(bool holds)
{
	is_held = holds;
}

static void on_next_signal(int number)
{
	static const char answer[] = "erlbpf: the probes are being removed, which cannot be interrupted\n";
	int err = errno;

	if (!is_held)
		stop_die(number);
	(void)!write(STDERR_FILENO, answer, sizeof(answer) - 1);
	errno = err;
}

static void handle(void (*handler)(int number))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void stop_answer(void)
{
	static const struct timespec at_once;
	sigset_t both;

	stop_hold(true);
	handle(on_next_signal);
	sigemptyset(&both);
	sigaddset(&both, SIGINT);
	sigaddset(&both, SIGTERM);
	/* The one that has brought us here is pending yet: a signalfd(2) only showed it. */
	while (sigtimedwait(&both, NULL, &at_once) > 0)
		;
	sigprocmask(SIG_UNBLOCK, &both, NULL);
}

static void on_first_signal(int number)
{
	uint64_t one = 1;

	(void)number;
	is_asked = true;
	handle(on_next_signal);
	(void)!write(stop_fd, &one, sizeof(one));
}

int stop_open(void (*last)(void))
{
	before_death = last;
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stop_fd < 0)
		return -errno;
	handle(on_first_signal);
	return stop_fd;
}
