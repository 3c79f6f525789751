// SPDX-License-Identifier: BSD-2-Clause
/*
 * LD_PRELOAD: a process that goes on when a debug exception has lost its cause, as on the hypervisors that
 * docs/safety.md tells of. The instruction is executed again, and then it is a hit: no count changes.
 */
#include <signal.h>
#include <stddef.h>

static void go_on(int number)
{
	(void)number;
}

__attribute__((constructor)) static void begin(void)
{
	const struct sigaction action = { .sa_handler = go_on, .sa_flags = SA_RESTART };

	sigaction(SIGTRAP, &action, NULL);
}
