// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/release.h"

#include <errno.h>
#include <unistd.h>

#include "load/kernel/kernel.h"

/* For the work that begins after a grace period. Where it takes longer, another batch is all that comes on top. */
#define PAUSE_US 30000

static size_t held;	/* loaded by several threads */
static size_t released; /* since the last pause */

int release_reserve(void)
{
	if (__atomic_add_fetch(&held, 1, __ATOMIC_RELAXED) <= RELEASE_MOST_PROGRAMS)
		return 0;
	release_cancel();
	return -EDQUOT;
}

void release_cancel(void)
{
	__atomic_sub_fetch(&held, 1, __ATOMIC_RELAXED);
}

void release_program(int fd)
{
	if (fd < 0)
		return;
	close(fd);
	release_cancel();
	if (++released < RELEASE_BATCH)
		return;
	released = 0;
	release_pause();
}

bool departing_has_room(struct departing *departing, unsigned int program)
{
	for (size_t i = 0; program && i < departing->count; i++) {
		if (departing->programs[i] == program)
			return true;
	}
	if (departing->count == RELEASE_BATCH)
		return false;
	departing->programs[departing->count++] = program;
	return true;
}

void release_pause(void)
{
	kernel_quiesce();
	usleep(PAUSE_US);
}
