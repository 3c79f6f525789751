// SPDX-License-Identifier: BSD-2-Clause
#include "base/io/event_loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "base/random.h"

#define TURN 16 /* events per epoll_wait() */

struct source {
	int fd;
	bool is_timer;		  /* owns fd */
	bool is_removed;	  /* removed, but the current turn may still refer to it */
	uint64_t mean_ns, random; /* of a random timer; random: state of the generator, never 0 */
	event_loop_handler *handler;
	void *data;
	struct source *next;
};

struct event_loop {
	int epoll;
	bool is_stopped, is_in_turn;
	int err; /* the error that stopped it */
	struct source *sources;
};

struct event_loop *event_loop_new(void)
{
	struct event_loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll >= 0)
		return loop;
	pr_err("cannot wait for events: %s", strerror(errno));
	free(loop);
	return NULL;
}

static void free_source(struct source *source)
{
	if (source->is_timer)
		close(source->fd);
	free(source);
}

void event_loop_free(struct event_loop *loop)
{
	struct source *next;

	if (!loop)
		return;
	for (struct source *source = loop->sources; source; source = next) {
		next = source->next;
		free_source(source);
	}
	close(loop->epoll);
	free(loop);
}

static int add(struct event_loop *loop, const struct source *wanted)
{
	struct source *source = malloc(sizeof(*source));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = source };
	int err;

	if (!source)
		return -ENOMEM;
	*source = *wanted;
	if (epoll_ctl(loop->epoll, EPOLL_CTL_ADD, source->fd, &event)) {
		err = -errno;
		free(source);
		return err;
	}
	source->next = loop->sources;
	loop->sources = source;
	return 0;
}

int event_loop_add(struct event_loop *loop, int fd, event_loop_handler *handler, void *data)
{
	const struct source source = { .fd = fd, .handler = handler, .data = data };

	return add(loop, &source);
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

static int set_timer(int fd, uint64_t first_ns, uint64_t every_ns)
{
	uint64_t at = duration_to_clock(first_ns);
	/* 0 would disarm the timer. */
	const struct itimerspec when = { .it_value = to_timespec((int64_t)at > 0 ? at : 1),
					 .it_interval = to_timespec(every_ns) };

	return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL) ? -errno : 0;
}

static int add_timer(struct event_loop *loop, struct source *source, uint64_t first_ns, uint64_t every_ns)
{
	int err;

	source->is_timer = true;
	source->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (source->fd < 0)
		return -errno;
	err = set_timer(source->fd, first_ns, every_ns);
	if (!err)
		err = add(loop, source);
	if (err)
		close(source->fd);
	return err;
}

int event_loop_add_timer(struct event_loop *loop, uint64_t first_ns, uint64_t every_ns, event_loop_handler *handler,
			 void *data)
{
	struct source source = { .handler = handler, .data = data };

	return add_timer(loop, &source, first_ns, every_ns);
}

static uint64_t random_delay(struct source *source)
{
	return source->mean_ns / 2 + random_next(&source->random) % (source->mean_ns + 1);
}

int event_loop_add_random_timer(struct event_loop *loop, uint64_t mean_ns, event_loop_handler *handler, void *data)
{
	uint64_t now = duration_now();
	struct source source = { .handler = handler, .data = data, .mean_ns = mean_ns, .random = now | 1 };

	return add_timer(loop, &source, now + random_delay(&source), 0);
}

void event_loop_set_mean(struct event_loop *loop, event_loop_handler *handler, void *data, uint64_t mean_ns)
{
	for (struct source *source = loop->sources; source; source = source->next) {
		if (source->mean_ns && source->handler == handler && source->data == data)
			source->mean_ns = mean_ns;
	}
}

static void free_removed(struct event_loop *loop)
{
	struct source **at = &loop->sources, *source;

	while ((source = *at)) {
		if (!source->is_removed) {
			at = &source->next;
			continue;
		}
		*at = source->next;
		free_source(source);
	}
}

void event_loop_remove(struct event_loop *loop, int fd)
{
	for (struct source *source = loop->sources; source; source = source->next) {
		if (source->fd != fd || source->is_removed)
			continue;
		epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
		source->is_removed = true;
	}
	if (!loop->is_in_turn)
		free_removed(loop);
}

void event_loop_stop(struct event_loop *loop)
{
	loop->is_stopped = true;
}

bool event_loop_is_stopped(const struct event_loop *loop)
{
	return loop->is_stopped;
}

int event_loop_error(const struct event_loop *loop)
{
	return loop->err;
}

/* The next wait would fail at once, too. */
static int stop_on_error(struct event_loop *loop, int err)
{
	pr_err("cannot wait for events: %s", strerror(-err));
	loop->err = err;
	event_loop_stop(loop);
	return err;
}

/* False: an earlier turn handled its timer, or a handler of this turn removed it. */
static bool handle(struct event_loop *loop, struct source *source)
{
	uint64_t times = 1;
	int err = 0;

	if (source->is_removed)
		return false;
	if (source->is_timer && read(source->fd, &times, sizeof(times)) != sizeof(times)) {
		if (errno != EAGAIN && errno != EINTR)
			stop_on_error(loop, -errno);
		return false;
	}
	/* Before the handler, which may be slow or remove the timer. */
	if (source->mean_ns)
		err = set_timer(source->fd, duration_now() + random_delay(source), 0);
	if (err)
		stop_on_error(loop, err);
	source->handler(source->data, times);
	return true;
}

int event_loop_turn(struct event_loop *loop, int limit_ms)
{
	struct epoll_event events[TURN];
	int n = loop->is_stopped ? 0 : epoll_wait(loop->epoll, events, TURN, limit_ms), handled = 0;

	if (n < 0)
		return errno == EINTR ? -EINTR : stop_on_error(loop, -errno);
	loop->is_in_turn = true;
	for (int i = 0; i < n && !loop->is_stopped; i++)
		handled += handle(loop, events[i].data.ptr);
	loop->is_in_turn = false;
	free_removed(loop);
	return handled;
}

int event_loop_fd(const struct event_loop *loop)
{
	return loop->epoll;
}
