// SPDX-License-Identifier: BSD-2-Clause
/* Waiting: all that can happen to a session, and what it does then. */
#include "dtrace/session/session_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "dtrace/session/feed.h"
#include "dtrace/session/hooks.h"
#include "run/child.h"
#include "run/stop.h"
#include "target/target.h"

#define RING_NS (50 * NS_PER_MS)
#define TICK_LEAST_NS (100 * NS_PER_US)
#define TICK_CATCH_UP 8 /* firings of a tick that was late, at a time */
#define SCAN_NS (500 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS)

enum happening { ON_SIGNAL, ON_RING, ON_RING_TIME, ON_TICK, ON_CHILD, ON_PROCESS, ON_END_OF_TARGET, ON_SCAN };

static int add_fd(const struct session *s, int fd, enum happening what, uint64_t index)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = index << 8 | (uint64_t)what };

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
}

/* Its fd, or -errno. Timers that begin together and end together are heard in the order in which they were made. */
static int make_timer(uint64_t begin_ns, uint64_t every_ns)
{
	struct itimerspec when = { .it_value = to_timespec(begin_ns + every_ns), .it_interval = to_timespec(every_ns) };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), err;

	if (fd < 0 || !timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL))
		return fd < 0 ? -errno : fd;
	err = -errno;
	close(fd);
	return err;
}

static int add_timer(struct session *s, uint64_t every_ns, enum happening what)
{
	int fd = make_timer(duration_now(), every_ns);
	int err = fd < 0 ? fd : add_fd(s, fd, what, (uint64_t)fd);

	if (!err)
		s->timers[s->timer_count++] = fd;
	return err;
}

static bool is_tick(const struct d_probe *probe)
{
	return probe->hook == HOOK_RUN && probe->period_ns;
}

static int add_ticks(struct session *s)
{
	uint64_t now = duration_now();
	int err = 0;

	s->ticks = calloc(probes_count(s->probes) + 1, sizeof(*s->ticks));
	if (!s->ticks)
		return -ENOMEM;
	for (size_t i = 0; !err && i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);
		struct tick *tick = &s->ticks[s->tick_count];

		if (!is_tick(probe) || !hooks_has(s->hooks, probe))
			continue;
		tick->probe = probe;
		tick->timer = make_timer(now, probe->period_ns > TICK_LEAST_NS ? probe->period_ns : TICK_LEAST_NS);
		if (tick->timer < 0)
			return tick->timer;
		err = add_fd(s, tick->timer, ON_TICK, s->tick_count++);
	}
	return err;
}

int turns_add_signals(const struct session *s)
{
	int fd = stop_open(NULL);

	return fd < 0 ? fd : add_fd(s, fd, ON_SIGNAL, 0);
}

static int add_processes(struct session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->options->wait_count && s->waited_count < SESSION_MAX_WAIT; i++) {
		int fd = (int)syscall(SYS_pidfd_open, s->options->wait_for[i], 0);

		err = fd < 0 ? -errno : add_fd(s, fd, ON_PROCESS, i);
		if (fd >= 0)
			s->waited[s->waited_count++] = fd;
	}
	return err;
}

int turns_prepare(struct session *s)
{
	uint64_t switch_ns = s->options->switch_ns ? s->options->switch_ns : RING_NS;
	int err = add_ticks(s);

	if (!err)
		err = add_timer(s, switch_ns, ON_RING_TIME);
	if (!err)
		err = add_fd(s, feed_fd(s->feed), ON_RING, 0);
	if (!err && s->options->child)
		err = add_fd(s, child_fd(s->options->child), ON_CHILD, 0);
	if (!err)
		err = add_processes(s);
	if (!err && s->follow)
		err = add_fd(s, follow_fd(s->follow), ON_END_OF_TARGET, 0);
	if (!err && s->follow && !s->follow_options.pid_count)
		err = add_timer(s, s->options->child ? SCAN_CHILD_NS : SCAN_NS, ON_SCAN);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

static void report_exit(const struct session *s, pid_t pid)
{
	if (!s->options->quiet)
		fprintf(stderr, "%s: pid %d has exited\n", s->options->name, pid);
}

/* After exit() no tick fires, however late we are. What it recorded is printed at once. */
static void on_tick(struct session *s, const struct tick *tick)
{
	uint64_t times = 0;

	if (read(tick->timer, &times, sizeof(times)) != sizeof(times))
		return;
	if (times > TICK_CATCH_UP)
		times = TICK_CATCH_UP;
	for (; times && !state_is_over(s); times--)
		hooks_run(s->hooks, tick->probe);
	records_consume(s);
}

/* The last words of a process are in the ring. */
static void on_process(struct session *s, uint64_t index)
{
	report_exit(s, s->options->wait_for[index]);
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->waited[index], NULL);
	s->is_stopping = ++s->ended >= s->options->wait_count;
}

/* Who runs on and on does not remember all nodes that ever were. */
static void on_scan(struct session *s)
{
	if (s->options->waits_for_nodes)
		follow_forget(s->follow);
	follow_scan(s->follow);
	for (size_t i = 0; s->options->waits_for_nodes && i < follow_count(s->follow); i++) {
		if (!follow_is_over(s->follow, i))
			target_settle_node(follow_get(s->follow, i)->target);
	}
}

static void handle(struct session *s, enum happening what, uint64_t index)
{
	uint64_t times;

	switch (what) {
	case ON_SIGNAL: s->is_stopping = true; break;
	case ON_RING_TIME:
		(void)!read((int)index, &times, sizeof(times));
		records_consume(s);
		break;
	case ON_RING: records_consume(s); break;
	case ON_TICK: on_tick(s, &s->ticks[index]); break;
	case ON_CHILD:
		report_exit(s, child_pid(s->options->child));
		s->is_stopping = true;
		break;
	case ON_PROCESS: on_process(s, index); break;
	case ON_END_OF_TARGET: follow_reap(s->follow); break;
	case ON_SCAN:
		(void)!read((int)index, &times, sizeof(times));
		on_scan(s);
		break;
	}
}

/* What may be printed is not waited with; nor with the end, which may be a record that has to wait for others. */
int turns_limit_ms(const struct session *s)
{
	return feed_has(s->feed) ? 0 : s->seen.is_over ? 1 : -1;
}

void turns_take(struct session *s, int ms)
{
	struct epoll_event events[16];
	int n = epoll_wait(s->epoll, events, 16, ms);

	if (!n)
		records_consume(s);
	for (int i = 0; i < n && !s->is_stopping; i++)
		handle(s, (enum happening)(events[i].data.u64 & 0xff), events[i].data.u64 >> 8);
}

int session_fd(const struct session *s)
{
	return s->epoll;
}

bool session_turn(struct session *s)
{
	if (!s->is_stopping)
		turns_take(s, 0);
	return !s->is_stopping;
}
