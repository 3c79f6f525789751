// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/waiting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/random.h"

#define TURN 16 /* events that are taken at a time */

struct source {
	int fd;
	bool is_timer;		  /* then the fd is ours */
	bool is_gone;		  /* the turn that is under way may still have it */
	uint64_t mean_ns, random; /* of a random timer; the state of its chance, never 0 */
	waiting_handler *handler;
	void *data;
	struct source *next;
};

struct waiting {
	int epoll;
	bool is_stopped, is_in_turn;
	int err; /* that stopped it */
	struct source *sources;
};

struct waiting *waiting_new(void)
{
	struct waiting *waiting = calloc(1, sizeof(*waiting));

	if (!waiting)
		return NULL;
	waiting->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (waiting->epoll >= 0)
		return waiting;
	pr_err("cannot wait for events: %s", strerror(errno));
	free(waiting);
	return NULL;
}

static void free_source(struct source *source)
{
	if (source->is_timer)
		close(source->fd);
	free(source);
}

void waiting_free(struct waiting *waiting)
{
	struct source *next;

	if (!waiting)
		return;
	for (struct source *source = waiting->sources; source; source = next) {
		next = source->next;
		free_source(source);
	}
	close(waiting->epoll);
	free(waiting);
}

static int add(struct waiting *waiting, const struct source *wanted)
{
	struct source *source = malloc(sizeof(*source));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };
	int err;

	if (!source)
		return -ENOMEM;
	*source = *wanted;
	if (epoll_ctl(waiting->epoll, EPOLL_CTL_ADD, source->fd, &event)) {
		err = -errno;
		free(source);
		return err;
	}
	source->next = waiting->sources;
	waiting->sources = source;
	return 0;
}

int waiting_add(struct waiting *waiting, int fd, waiting_handler *handler, void *data)
{
	const struct source source = { .fd = fd, .handler = handler, .data = data };

	return add(waiting, &source);
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static int set_timer(int fd, uint64_t first_ns, uint64_t every_ns)
{
	uint64_t at = duration_to_clock(first_ns);
	/* 0 would disarm it. */
	const struct itimerspec when = { .it_value = to_timespec((int64_t)at > 0 ? at : 1),
					 .it_interval = to_timespec(every_ns) };

	return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) ? -errno : 0;
}

static int add_timer(struct waiting *waiting, struct source *source, uint64_t first_ns, uint64_t every_ns)
{
	int err;

	source->is_timer = true;
	source->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (source->fd < 0)
		return -errno;
	err = set_timer(source->fd, first_ns, every_ns);
	if (!err)
		err = add(waiting, source);
	if (err)
		close(source->fd);
	return err;
}

int waiting_add_timer(struct waiting *waiting, uint64_t first_ns, uint64_t every_ns, waiting_handler *handler,
		      void *data)
{
	struct source source = { .handler = handler, .data = data };

	return add_timer(waiting, &source, first_ns, every_ns);
}

static uint64_t random_delay(struct source *source)
{
	return source->mean_ns / 2 + random_next(&source->random) % (source->mean_ns + 1);
}

int waiting_add_random_timer(struct waiting *waiting, uint64_t mean_ns, waiting_handler *handler, void *data)
{
	uint64_t now = duration_now();
	struct source source = { .handler = handler, .data = data, .mean_ns = mean_ns, .random = now | 1 };

	return add_timer(waiting, &source, now + random_delay(&source), 0);
}

void waiting_set_mean(struct waiting *waiting, waiting_handler *handler, void *data, uint64_t mean_ns)
{
	for (struct source *source = waiting->sources; source; source = source->next) {
		if (source->mean_ns && source->handler == handler && source->data == data)
			source->mean_ns = mean_ns;
	}
}

static void sweep(struct waiting *waiting)
{
	struct source **at = &waiting->sources, *source;

	while ((source = *at)) {
		if (!source->is_gone) {
			at = &source->next;
			continue;
		}
		*at = source->next;
		free_source(source);
	}
}

void waiting_remove(struct waiting *waiting, int fd)
{
	for (struct source *source = waiting->sources; source; source = source->next) {
		if (source->fd != fd || source->is_gone)
			continue;
		epoll_ctl(waiting->epoll, EPOLL_CTL_DEL, fd, NULL);
		source->is_gone = true;
	}
	if (!waiting->is_in_turn)
		sweep(waiting);
}

void waiting_stop(struct waiting *waiting)
{
	waiting->is_stopped = true;
}

bool waiting_is_stopped(const struct waiting *waiting)
{
	return waiting->is_stopped;
}

int waiting_error(const struct waiting *waiting)
{
	return waiting->err;
}

/* The next turn would fail, too, at once. */
static int give_up(struct waiting *waiting, int err)
{
	pr_err("cannot wait for events: %s", strerror(-err));
	waiting->err = err;
	waiting_stop(waiting);
	return err;
}

/* False: its timer was handled by an earlier turn, or it was removed by a handler of this one. */
static bool handle(struct waiting *waiting, struct source *source)
{
	uint64_t times = 1;
	int err = 0;

	if (source->is_gone)
		return false;
	if (source->is_timer && read(source->fd, &times, sizeof(times)) != sizeof(times)) {
		if (errno != EAGAIN && errno != EINTR)
			give_up(waiting, -errno);
		return false;
	}
	/* Before its handler, which may take long or remove it. */
	if (source->mean_ns)
		err = set_timer(source->fd, duration_now() + random_delay(source), 0);
	if (err)
		give_up(waiting, err);
	source->handler(source->data, times);
	return true;
}

int waiting_turn(struct waiting *waiting, int limit_ms)
{
	struct epoll_event events[TURN];
	int n = waiting->is_stopped ? 0 : epoll_wait(waiting->epoll, events, TURN, limit_ms), handled = 0;

	if (n < 0)
		return errno == EINTR ? -EINTR : give_up(waiting, -errno);
	waiting->is_in_turn = true;
	for (int i = 0; i < n && !waiting->is_stopped; i++)
		handled += handle(waiting, events[i].data.ptr);
	waiting->is_in_turn = false;
	sweep(waiting);
	return handled;
}

int waiting_fd(const struct waiting *waiting)
{
	return waiting->epoll;
}
