// SPDX-License-Identifier: BSD-2-Clause
/* The event loop of a session, and its reactions. */
#include "dtrace/session/session_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/log.h"
#include "dtrace/symbols/symbols.h"
#include "dtrace/session/feed.h"
#include "dtrace/attach/hooks.h"
#include "dtrace/attach/ticks.h"
#include "load/guardian/guardian.h"
#include "trace/child.h"
#include "trace/stop.h"
#include "target/target.h"

#define RING_NS (50 * NS_PER_MS)
#define STATUS_NS NS_PER_S
#define LOADED_NS (200 * NS_PER_MS)
#define KEEP_NS (100 * NS_PER_MS)
#define SCAN_NS (500 * NS_PER_MS)
#define SCAN_CHILD_NS (20 * NS_PER_MS)

static void report_exit(const struct session *s, pid_t pid)
{
	if (!s->options->quiet)
		fprintf(stderr, "%s: pid %d has exited\n", s->options->name, pid);
}

static void on_signal(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	event_loop_stop(s->waiting);
}

static void on_ring(void *data, uint64_t times)
{
	(void)times;
	records_consume(data);
}

static void on_status(void *data, uint64_t times)
{
	(void)times;
	session_report_drops(data);
}

/* After exit() no tick fires, however late. Its records are printed immediately. */
static void on_tick(void *data, uint64_t times)
{
	const struct tick *tick = data;
	struct session *s = tick->session;

	(void)times;
	while (!state_is_over(s) && hooks_fire_missed(s->hooks, tick->probe))
		;
	records_consume(s);
}

static void on_end_of_child(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	report_exit(s, child_pid(s->options->child));
	event_loop_stop(s->waiting);
}

/* The last records of a process are in the ring. */
static void on_end_of_process(void *data, uint64_t times)
{
	const struct awaited *awaited = data;
	struct session *s = awaited->session;

	(void)times;
	report_exit(s, awaited->pid);
	event_loop_remove(s->waiting, awaited->fd);
	if (++s->ended >= s->awaited_count)
		event_loop_stop(s->waiting);
}

static void on_end_of_target(void *data, uint64_t times)
{
	const struct session *s = data;

	(void)times;
	follow_reap(s->follow);
}

/* A permanent session forgets ended nodes. */
static void on_scan(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	if (s->options->waits_for_nodes)
		follow_forget(s->follow);
	follow_scan(s->follow);
	stacks_publish(s);
	for (size_t i = 0; s->options->waits_for_nodes && i < follow_count(s->follow); i++) {
		if (!follow_is_over(s->follow, i))
			target_settle_node(follow_get(s->follow, i)->target);
	}
}

static void on_loaded(void *data, uint64_t times)
{
	(void)times;
	loaded_scan(data);
}

/* An awaited process may have ended when its addresses are printed. */
static void on_keep(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	if (!session_symbols(s))
		return;
	if (s->options->child)
		symbols_keep_up(s->symbols, child_pid(s->options->child));
	for (size_t i = 0; i < s->options->wait_count; i++)
		symbols_keep_up(s->symbols, s->options->wait_for[i]);
}

/* Event sources. */

static int add_timer(struct session *s, uint64_t every_ns, event_loop_handler *handler)
{
	return event_loop_add_timer(s->waiting, duration_now() + every_ns, every_ns, handler, s);
}

static int add_ticks(struct session *s)
{
	int err = 0;

	s->ticks = calloc(probes_count(s->probes) + 1, sizeof(*s->ticks));
	if (!s->ticks)
		return -ENOMEM;
	for (size_t i = 0; !err && i < probes_count(s->probes); i++) {
		const struct d_probe *probe = probes_get(s->probes, i);
		struct tick *tick = &s->ticks[s->tick_count];

		if (!tick_is(probe) || !hooks_has(s->hooks, probe))
			continue;
		*tick = (struct tick){ s, probe };
		err = event_loop_add_timer(s->waiting, hooks_check_ns(s->hooks, probe), probe->period_ns, on_tick,
					   tick);
		s->tick_count++;
	}
	return err;
}

int turns_add_signals(struct session *s)
{
	int fd = stop_open(NULL), err = fd < 0 ? fd : event_loop_add(s->waiting, fd, on_signal, s);

	if (err)
		pr_err("cannot wait for signals: %s", strerror(-err));
	return err;
}

static void on_end_of_guardian(void *data, uint64_t times)
{
	struct session *s = data;

	(void)times;
	pr_err("%s", GUARDIAN_GONE);
	s->status = 1;
	event_loop_stop(s->waiting);
}

static int add_processes(struct session *s)
{
	int err = 0;

	s->awaited = calloc(s->options->wait_count + 1, sizeof(*s->awaited));
	if (!s->awaited)
		return -ENOMEM;
	for (size_t i = 0; !err && i < s->options->wait_count; i++) {
		struct awaited *awaited = &s->awaited[s->awaited_count];

		*awaited = (struct awaited){ .session = s, .pid = s->options->wait_for[i] };
		awaited->fd = (int)syscall(SYS_pidfd_open, awaited->pid, 0);
		if (awaited->fd < 0)
			return -errno;
		s->awaited_count++;
		err = event_loop_add(s->waiting, awaited->fd, on_end_of_process, awaited);
	}
	return err;
}

int turns_prepare(struct session *s)
{
	uint64_t switch_ns = s->options->switch_ns ? s->options->switch_ns : RING_NS;
	uint64_t status_ns = s->options->status_ns ? s->options->status_ns : STATUS_NS;
	int err = add_ticks(s);

	if (!err)
		err = add_timer(s, switch_ns, on_ring);
	if (!err)
		err = add_timer(s, status_ns, on_status);
	if (!err)
		err = event_loop_add(s->waiting, feed_fd(s->feed), on_ring, s);
	if (!err && s->options->child)
		err = event_loop_add(s->waiting, child_fd(s->options->child), on_end_of_child, s);
	if (!err)
		err = add_processes(s);
	if (!err && guardian_fd() >= 0)
		err = event_loop_add(s->waiting, guardian_fd(), on_end_of_guardian, s);
	if (!err && s->follow)
		err = event_loop_add(s->waiting, follow_fd(s->follow), on_end_of_target, s);
	if (!err && s->follow && !s->follow_options.pid_count)
		err = add_timer(s, s->options->child ? SCAN_CHILD_NS : SCAN_NS, on_scan);
	if (!err && s->loaded)
		err = add_timer(s, LOADED_NS, on_loaded);
	if (!err && unit_shows_addresses(s->unit) && (s->options->child || s->options->wait_count))
		err = add_timer(s, KEEP_NS, on_keep);
	if (err)
		pr_err("cannot wait for events: %s", strerror(-err));
	return err;
}

/* Turns. */

/* Do not wait while records are ready, or at the end, which can be a record that waits for others. */
int turns_limit_ms(const struct session *s)
{
	return feed_has(s->feed) ? 0 : s->seen.is_over ? 1 : -1;
}

void turns_take(struct session *s, int limit_ms)
{
	if (!event_loop_turn(s->waiting, limit_ms) && !event_loop_is_stopped(s->waiting))
		records_consume(s);
}

int session_fd(const struct session *s)
{
	return event_loop_fd(s->waiting);
}

bool session_turn(struct session *s)
{
	turns_take(s, 0);
	return !event_loop_is_stopped(s->waiting);
}
