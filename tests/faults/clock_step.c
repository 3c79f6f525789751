// SPDX-License-Identifier: BSD-2-Clause
/*
 * LD_PRELOAD: the clock of the day jumps for this process alone, by CLOCK_STEP_S seconds, every CLOCK_STEP_EVERY_MS:
 * on, back, on again. Other clocks are as they are.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long number_of(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

static time_t step(void)
{
	static long seconds, every_ms;
	static struct timespec first;
	struct timespec now;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	if (!every_ms) {
		seconds = number_of("CLOCK_STEP_S", 86400);
		first = now;
		every_ms = number_of("CLOCK_STEP_EVERY_MS", 20);
	}
	return ((now.tv_sec - first.tv_sec) * 1000 + (now.tv_nsec - first.tv_nsec) / 1000000) / every_ms % 2 ? seconds
													     : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int err = (int)syscall(SYS_clock_gettime, clock, now);

	if (!err && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		now->tv_sec += step();
	return err;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec time;
	int err = clock_gettime(CLOCK_REALTIME, &time);

	(void)zone;
	*now = (struct timeval){ time.tv_sec, time.tv_nsec / 1000 };
	return err;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}
