// SPDX-License-Identifier: BSD-2-Clause
#include "base/process/yield.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

static struct {
	int fd;
	void (*answer)(void *data);
	void *data;
	pthread_t owner;
	bool is_running; /* the callback does not yield again */
} yielding;

void yield_set(int fd, void (*answer)(void *data), void *data)
{
	yielding.fd = fd;
	yielding.answer = answer;
	yielding.data = data;
	yielding.owner = pthread_self();
}

static bool can_yield(void)
{
	return yielding.answer && !yielding.is_running && pthread_equal(yielding.owner, pthread_self());
}

static void answer(void)
{
	yielding.is_running = true;
	yielding.answer(yielding.data);
	yielding.is_running = false;
}

bool yield_is_set(void)
{
	return can_yield();
}

void yield_now(void)
{
	struct pollfd requests = { .fd = yielding.fd, .events = POLLIN };

	if (can_yield() && poll(&requests, 1, 0) > 0)
		answer();
}

static int remaining_ms(uint64_t start_ns, int limit_ms)
{
	uint64_t elapsed_ms = (duration_now() - start_ns) / NS_PER_MS;

	if (limit_ms < 0)
		return -1;
	return elapsed_ms < (uint64_t)limit_ms ? limit_ms - (int)elapsed_ms : 0;
}

bool yield_wait(int fd, int limit_ms)
{
	uint64_t start = duration_now();
	bool can_answer = can_yield();
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = yielding.fd, .events = POLLIN } };

	for (int left = limit_ms;; left = remaining_ms(start, limit_ms)) {
		int n = poll(fds, can_answer ? 2 : 1, left);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0 && fds[0].revents)
			return true;
		if (n > 0)
			answer();
	}
}
