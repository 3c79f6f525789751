// SPDX-License-Identifier: BSD-2-Clause
/*
 * An interval begins at the newest message of a mailbox; the messages behind it at the end of the interval have arrived
 * meanwhile (node/processes/arrivals.h). If the mailbox was empty, the messages at the end tell the senders, but not
 * the rate, because the receiver may have taken some. Intervals become longer if few messages arrive, and shorter if
 * many do; and the more was read, the longer the pause. So this uses at most a 50th of a CPU.
 */
#include "why/processes/mailbox_senders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "node/memory/erlid.h"
#include "node/processes/arrivals.h"
#include "why/processes/pending_calls.h"
#include "why/processes/process_trends.h"
#include "why/source/sign_process.h"
#include "why/source/source.h"

#define UNKNOWN "unknown sender"
#define SENDERS 128 /* that are counted separately */
#define FIRST_NS (4 * NS_PER_MS)
#define LONGEST_NS (256 * NS_PER_MS)
#define FEW_MESSAGES 16
#define MANY_MESSAGES (ARRIVALS_MOST / 2)
#define REST_NS (50 * NS_PER_US) /* per message read, which takes about 1 us */

struct sender {
	uint64_t id, messages;
};

struct stream {
	uint64_t id, address; /* of the receiver */
	bool is_open;	      /* an interval; else the next one begins at due_ns */
	uint64_t mark;	      /* 0: the mailbox was empty */
	uint64_t began_ns, due_ns, window_ns;
	uint64_t messages, watched_ns; /* of complete intervals */
	uint64_t seen;		       /* messages whose sender was read */
	struct sender senders[SENDERS];
	size_t sender_count;
};

struct mailbox_senders {
	const struct target *target;
	const struct erl_pid_layout *pids;
	struct processes *processes;
	struct stream streams[SIGN_FEW];
	size_t count;
};

struct mailbox_senders *mailbox_senders_new(const struct target *target, const struct erl_pid_layout *pids,
					    struct processes *processes)
{
	struct mailbox_senders *inflow = calloc(1, sizeof(*inflow));

	if (!inflow)
		return NULL;
	inflow->target = target;
	inflow->pids = pids;
	inflow->processes = processes;
	return inflow;
}

void mailbox_senders_free(struct mailbox_senders *inflow)
{
	free(inflow);
}

static struct stream *stream_of(struct mailbox_senders *inflow, uint64_t id)
{
	for (size_t i = 0; i < inflow->count; i++) {
		if (inflow->streams[i].id == id)
			return &inflow->streams[i];
	}
	return NULL;
}

static bool is_among(const struct stream *stream, const struct process *const *receivers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (receivers[i]->id == stream->id)
			return true;
	}
	return false;
}

void mailbox_senders_choose(struct mailbox_senders *inflow, const struct process *const *receivers, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < inflow->count; i++) {
		if (!is_among(&inflow->streams[i], receivers, count))
			continue;
		if (kept != i)
			inflow->streams[kept] = inflow->streams[i];
		kept++;
	}
	inflow->count = kept;
	for (size_t i = 0; i < count && inflow->count < SIGN_FEW; i++) {
		if (!stream_of(inflow, receivers[i]->id))
			inflow->streams[inflow->count++] = (struct stream){ .id = receivers[i]->id,
									    .address = receivers[i]->address,
									    .window_ns = FIRST_NS };
	}
}

static void count_sender(struct stream *stream, uint64_t id)
{
	size_t i = 0;

	while (i < stream->sender_count && stream->senders[i].id != id)
		i++;
	stream->seen++;
	if (i == SENDERS)
		return;
	if (i == stream->sender_count)
		stream->senders[stream->sender_count++] = (struct sender){ .id = id };
	stream->senders[i].messages++;
}

static void count_window(struct stream *stream, const struct arrivals *arrivals, uint64_t took_ns)
{
	for (size_t i = 0; i < arrivals->count; i++)
		count_sender(stream, arrivals->senders[i]);
	if (arrivals->is_whole) {
		stream->messages += arrivals->count;
		stream->watched_ns += took_ns;
	}
	if (arrivals->count > MANY_MESSAGES)
		stream->window_ns /= 2;
	else if (arrivals->count < FEW_MESSAGES && stream->window_ns < LONGEST_NS)
		stream->window_ns *= 2;
}

static void end_window(const struct mailbox_senders *inflow, struct stream *stream, uint64_t now)
{
	struct arrivals arrivals;

	if (!arrivals_since(inflow->target, inflow->pids, stream->address, stream->mark, &arrivals))
		count_window(stream, &arrivals, now - stream->began_ns);
	stream->is_open = false;
	stream->due_ns = now + arrivals.count * REST_NS;
}

static void look_at(const struct mailbox_senders *inflow, struct stream *stream)
{
	uint64_t now = duration_now();

	if (stream->is_open && now >= stream->began_ns + stream->window_ns)
		end_window(inflow, stream, now);
	if (stream->is_open || now < stream->due_ns)
		return;
	stream->is_open = true;
	stream->mark = arrivals_mark(inflow->target, stream->address);
	stream->began_ns = duration_now();
}

void mailbox_senders_look(struct mailbox_senders *inflow)
{
	for (size_t i = 0; i < inflow->count; i++)
		look_at(inflow, &inflow->streams[i]);
}

static void describe(const struct mailbox_senders *inflow, uint64_t id, struct sign_sender *sender)
{
	struct sign_process process = {};

	if (erl_id_kind(id) == ERL_ID_LOCAL) {
		sign_process_fill(inflow->processes, id, NULL, &process);
		sender->has_ended = !process.name[0];
		snprintf(sender->name, sizeof(sender->name), "%s",
			 sender->has_ended ? "exited processes" : process.name);
		snprintf(sender->pid, sizeof(sender->pid), "%s", process.pid);
	} else if (erl_id_kind(id) == ERL_ID_ATOM) {
		char atom[SIGN_NAME];

		sign_function(inflow->processes, id, atom);
		if (!strcmp(atom, "clock_service"))
			snprintf(atom, sizeof(atom), "timers");
		else if (!strcmp(atom, "undefined"))
			snprintf(atom, sizeof(atom), "%s", UNKNOWN);
		snprintf(sender->name, sizeof(sender->name), "%s%.300s", strchr(atom, '@') ? "node " : "", atom);
	} else {
		snprintf(sender->name, sizeof(sender->name), "%s", id ? "port" : UNKNOWN);
		if (id)
			erlid_format(id, sender->pid);
	}
}

/* Adds up senders of the same name. */
static void add_sender(struct sign_sender *groups, size_t *count, const struct sign_sender *sender)
{
	size_t i = 0;

	while (i < *count && strcmp(groups[i].name, sender->name) != 0)
		i++;
	if (i == *count) {
		groups[(*count)++] = *sender;
		return;
	}
	groups[i].share += sender->share;
	groups[i].processes += sender->processes;
}

static int by_share(const void *a, const void *b)
{
	const struct sign_sender *x = a, *y = b;

	return x->share < y->share ? 1 : x->share > y->share ? -1 : 0;
}

static void finish_senders(const struct mailbox_senders *inflow, const struct stream *stream, struct sign_mailbox *sign)
{
	struct sign_sender *groups = calloc(SENDERS, sizeof(*groups));
	size_t count = 0, callers = 0;

	for (size_t i = 0; groups && i < stream->sender_count; i++) {
		struct sign_sender sender = {
			.share = (double)stream->senders[i].messages / (double)stream->seen,
			.processes = 1,
		};

		describe(inflow, stream->senders[i].id, &sender);
		callers += pending_call_server(inflow->processes, inflow->target, stream->senders[i].id) == stream->id;
		add_sender(groups, &count, &sender);
	}
	/* Others may have been found in the process table. */
	if (callers > sign->callers)
		sign->callers = callers;
	if (count)
		qsort(groups, count, sizeof(*groups), by_share);
	while (sign->sender_count < SIGN_SENDERS && sign->sender_count < count) {
		sign->senders[sign->sender_count] = groups[sign->sender_count];
		sign->sender_count++;
	}
	free(groups);
}

/* If no message arrived while watched, those that wait tell the senders. */
static struct stream with_senders(const struct mailbox_senders *inflow, const struct stream *stream)
{
	struct stream with = *stream;
	struct arrivals arrivals;

	if (with.seen)
		return with;
	arrivals_before(inflow->target, inflow->pids, with.address, &arrivals);
	for (size_t i = 0; i < arrivals.count; i++)
		count_sender(&with, arrivals.senders[i]);
	return with;
}

void mailbox_senders_finish(const struct mailbox_senders *inflow, struct signs *signs)
{
	for (size_t i = 0; i < inflow->count; i++) {
		const struct stream stream = with_senders(inflow, &inflow->streams[i]);

		for (size_t k = 0; k < signs->mailboxes.count; k++) {
			struct sign_mailbox *sign = &signs->mailboxes.worst[k];

			if (sign->process.id != stream.id)
				continue;
			if (stream.watched_ns)
				sign->arrivals_per_s = (double)stream.messages * (double)NS_PER_S /
						       (double)stream.watched_ns;
			finish_senders(inflow, &stream, sign);
		}
	}
}

struct state {
	struct mailbox_senders *senders;
};

static int source_open(void *state, struct why_node *node)
{
	struct state *s = state;

	s->senders = mailbox_senders_new(node->target, &node->pids, node->processes);
	return s->senders ? 0 : -errno;
}

static void source_sample(void *state, struct why_node *node)
{
	struct state *s = state;

	(void)node;
	mailbox_senders_look(s->senders);
}

static void source_read(void *state, struct why_node *node)
{
	const struct process *longest[SIGN_FEW];
	struct state *s = state;

	mailbox_senders_choose(s->senders, longest, trends_mailboxes(node->trends, longest));
}

static void source_finish(void *state, struct why_node *node, struct signs *signs)
{
	struct state *s = state;

	(void)node;
	mailbox_senders_finish(s->senders, signs);
}

static void source_close(void *state)
{
	struct state *s = state;

	mailbox_senders_free(s->senders);
}

const struct why_source mailbox_senders_source = {
	.size = sizeof(struct state),
	.open = source_open,
	.sample = source_sample,
	.read = source_read,
	.finish = source_finish,
	.close = source_close,
};
