// SPDX-License-Identifier: BSD-2-Clause
/* The state shared with the programs, and their records. */
#include "dtrace/session/session_parts.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "dtrace/session/drops.h"
#include "dtrace/session/feed.h"

/* printed before other events are handled: a record can print a megabyte */
#define RING_TURN 4096 /* records */
#define RING_TURN_NS (100 * NS_PER_MS)

static void state_read(const struct session *s, struct d_state *state)
{
	uint32_t zero = 0;

	memset(state, 0, sizeof(*state));
	bpf_map_lookup_elem(s->state, &zero, state);
}

/* Nothing is attached yet, so no firing counts. */
int state_set_live(const struct session *s)
{
	struct d_state state;
	uint32_t zero = 0;

	state_read(s, &state);
	state.is_live = 1;
	return bpf_map_update_elem(s->state, &zero, &state, BPF_ANY) ? -errno : 0;
}

bool state_is_over(const struct session *s)
{
	struct d_state state;

	state_read(s, &state);
	return state.is_over;
}

/* The programs decide which of several calls of exit() counts, and whether its clause has a fault. */
int state_exit_status(const struct session *s, int status)
{
	struct d_state state;

	state_read(s, &state);
	return state.is_over ? (int)state.exit_status : status;
}

/* Records. */

static void stop_reading(struct session *s, int status)
{
	s->has_reader = false;
	event_loop_stop(s->waiting);
	if (status)
		s->status = status;
}

/* A closed output is no error, as for tools. */
void session_lose_reader(struct session *s, int err)
{
	const char *path = s->consumer->options->output;

	if (s->has_reader && err != -EPIPE && !s->error_reported)
		pr_err("cannot write to %s: %s", path ? path : "standard output", strerror(-err));
	stop_reading(s, err != -EPIPE);
}

void session_report_drops(const struct session *s)
{
	const char *name = s->consumer->options->mute ? NULL : s->options->name;

	drops_report(s->drops, consumer_speculation_drops(s->consumer), name, s->options->drop_tags);
}

/* Limits of number and time; 0: none. */
static void print_records(struct session *s, unsigned int limit, uint64_t end_ns)
{
	const void *record;
	size_t size;
	int err = 0;

	for (unsigned int i = 0; !limit || (i < limit && duration_now() < end_ns); i++) {
		record = feed_next(s->feed, &size);
		if (!record)
			break;
		if (s->has_reader && (err = consumer_record(s->consumer, record, size)))
			session_lose_reader(s, err);
	}
	if (s->has_reader && (err = consumer_flush(s->consumer)))
		session_lose_reader(s, err);
}

/*
 * exit() was called. Usually its record reported it; but the record can be lost, or its clause can have a fault after
 * exit().
 */
static void stop_if_over(struct session *s)
{
	if (!s->seen.is_over || feed_has(s->feed) || event_loop_is_stopped(s->waiting))
		return;
	event_loop_stop(s->waiting);
	s->status = (int)s->seen.exit_status;
}

static void take_from_feed(struct session *s, int err)
{
	if (!err)
		return;
	pr_err("cannot read what was traced: %s", strerror(-err));
	stop_reading(s, 1);
}

/*
 * A busy process fills the ring faster than it is printed: without the limit, signals and timers would not be handled.
 */
void records_consume(struct session *s)
{
	take_from_feed(s, feed_read(s->feed));
	print_records(s, RING_TURN, duration_now() + RING_TURN_NS);
	state_read(s, &s->seen);
	stop_if_over(s);
}

void records_consume_last(struct session *s)
{
	print_records(s, 0, 0);
	take_from_feed(s, feed_read_last(s->feed));
	print_records(s, 0, 0);
	session_report_drops(s);
}
