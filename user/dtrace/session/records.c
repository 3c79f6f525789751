// SPDX-License-Identifier: BSD-2-Clause
/* What programs say while they run: the state that they share, and records. */
#include "dtrace/session/session_parts.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "base/duration.h"
#include "base/log.h"
#include "dtrace/session/drops.h"
#include "dtrace/session/feed.h"

/* What is printed before anything else is looked at: a record may print a megabyte. */
#define RING_TURN 4096 /* records */
#define RING_TURN_NS (100 * NS_PER_MS)

static void state_read(const struct session *s, struct d_state *state)
{
	uint32_t zero = 0;

	memset(state, 0, sizeof(*state));
	bpf_map_lookup_elem(s->state, &zero, state);
}

/* Nothing is in place yet, so that nobody counts meanwhile. */
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

/* The programs know which of several calls of exit() counts, and whether its clause came to nothing. */
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

/* That nobody reads any more is no error, as it is none of a tool. */
void session_lose_reader(struct session *s, int err)
{
	const char *path = s->consumer->options->output;

	if (s->has_reader && err != -EPIPE && !s->is_told)
		pr_err("cannot write to %s: %s", path ? path : "standard output", strerror(-err));
	stop_reading(s, err != -EPIPE);
}

void session_report_drops(const struct session *s)
{
	const char *name = s->consumer->options->mute ? NULL : s->options->name;

	drops_report(s->drops, consumer_speculation_drops(s->consumer), name, s->options->drop_tags);
}

/* As many, and until then; 0: all. */
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
 * exit() was called. As a rule its record has said so; but it may be lost, or its clause may have come to nothing
 * behind exit().
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

/* A busy process fills the ring faster than we print: without the limit, no signal or timer would be heard. */
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
