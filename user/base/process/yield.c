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
	bool is_taken; /* an answer is no time for another breath */
} breath;

void yield_set(int fd, void (*answer)(void *data), void *data)
{
	breath.fd = fd;
	breath.answer = answer;
	breath.data = data;
	breath.owner = pthread_self();
}

static bool can_breathe(void)
{
	return breath.answer && !breath.is_taken && pthread_equal(breath.owner, pthread_self());
}

static void answer(void)
{
	breath.is_taken = true;
	breath.answer(breath.data);
	breath.is_taken = false;
}

bool yield_is_set(void)
{
	return can_breathe();
}

void yield_now(void)
{
	struct pollfd asked = { .fd = breath.fd, .events = POLLIN };

	if (can_breathe() && poll(&asked, 1, 0) > 0)
		answer();
}

static int left_of(uint64_t start_ns, int limit_ms)
{
	uint64_t past_ms = (duration_now() - start_ns) / NS_PER_MS;

	if (limit_ms < 0)
		return -1;
	return past_ms < (uint64_t)limit_ms ? limit_ms - (int)past_ms : 0;
}

bool yield_wait(int fd, int limit_ms)
{
	uint64_t start = duration_now();
	bool can_answer = can_breathe();
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN }, { .fd = breath.fd, .events = POLLIN } };

	for (int left = limit_ms;; left = left_of(start, limit_ms)) {
		int n = poll(fds, can_answer ? 2 : 1, left);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		if (n > 0 && fds[0].revents)
			return true;
		if (n > 0)
			answer();
	}
}
