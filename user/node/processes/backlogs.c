// SPDX-License-Identifier: BSD-2-Clause
/*
 * For each process with messages, a reading keeps marks: addresses of adjacent messages at the end of what it reached.
 * While a mark is found again, all messages before it still wait. A slow receiver removes the marked ones in the end;
 * then a newer mark says less. There are few marks, at about equal distances.
 *
 * Long mailboxes are not followed to their end. If none of the oldest thousands was removed, those behind them wait,
 * too: a process that only collects its heap meanwhile removes at most the newest messages, such as replies to its
 * calls.
 */
#include "node/processes/backlogs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "node/processes/arrivals.h"

#define MARKS 8
#define MARK_LINKS 8		/* adjacent messages, enough to rule out coincidence */
#define MOST_FOLLOWED 4096	/* messages per mailbox */
#define MOST_FOLLOWED_ALL 32768 /* per reading; each takes about 1 us */

struct mark {
	uint64_t links[MARK_LINKS];
	uint64_t since_ns;
	uint64_t messages; /* up to its last link, at the last reading */
};

struct backlog {
	uint64_t id, reds;
	uint64_t quiet_ns, quiet_messages; /* since when the receiver has removed nothing, and the messages then */
	uint64_t head, head_ns;		   /* address of the oldest message, 0: unknown; and its first sighting */
	struct mark marks[MARKS];	   /* oldest first */
	size_t mark_count;
};

struct backlogs {
	struct backlog *list; /* sorted by id */
	size_t count;
	size_t followed; /* in this reading */
	uint64_t addresses[MOST_FOLLOWED];
};

struct backlogs *backlogs_new(void)
{
	return calloc(1, sizeof(struct backlogs));
}

void backlogs_free(struct backlogs *backlogs)
{
	if (!backlogs)
		return;
	free(backlogs->list);
	free(backlogs);
}

static int compare_ids(const void *a, const void *b)
{
	const struct backlog *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static const struct backlog *find(const struct backlogs *backlogs, uint64_t id)
{
	const struct backlog key = { .id = id };

	return backlogs->count ? bsearch(&key, backlogs->list, backlogs->count, sizeof(key), compare_ids) : NULL;
}

/* The number of messages up to the end of the mark, 0: not found. */
static uint64_t place_of(const struct mark *mark, const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i + MARK_LINKS <= count; i++) {
		if (!memcmp(mark->links, addresses + i, sizeof(mark->links)))
			return i + MARK_LINKS;
	}
	return 0;
}

/* Keeps every second mark, including the oldest. */
static void thin_out(struct backlog *b)
{
	for (size_t i = 0; i < MARKS / 2; i++)
		b->marks[i] = b->marks[i * 2];
	b->mark_count = MARKS / 2;
}

static void add_mark(struct backlog *b, const uint64_t *addresses, size_t count, uint64_t now_ns)
{
	struct mark *mark;

	if (count < MARK_LINKS)
		return;
	if (b->mark_count == MARKS)
		thin_out(b);
	mark = &b->marks[b->mark_count++];
	memcpy(mark->links, addresses + count - MARK_LINKS, sizeof(mark->links));
	mark->since_ns = now_ns;
	mark->messages = count;
}

static void keep_marks(struct backlog *b, const struct backlog *before, const uint64_t *addresses, size_t count)
{
	for (size_t i = 0; i < before->mark_count; i++) {
		uint64_t messages = place_of(&before->marks[i], addresses, count);

		/* If the mailbox could not be followed, the next reading may succeed. */
		if (!messages && count)
			continue;
		b->marks[b->mark_count] = before->marks[i];
		b->marks[b->mark_count++].messages = messages;
	}
}

/* Are the oldest marked messages still there? */
static bool is_untouched(const struct backlog *b, const struct backlog *before)
{
	return b->mark_count && before->mark_count && b->marks[0].messages == before->marks[0].messages &&
	       b->marks[0].since_ns == before->marks[0].since_ns;
}

/* Messages sent meanwhile are behind the others. */
static void keep_quiet(struct backlog *b, const struct backlog *before)
{
	b->quiet_ns = before->quiet_ns;
	if (before->quiet_messages < b->quiet_messages)
		b->quiet_messages = before->quiet_messages;
}

static void look_at(struct backlogs *backlogs, const struct target *target, const struct process *process,
		    uint64_t now_ns, struct backlog *b)
{
	size_t room = MOST_FOLLOWED_ALL - backlogs->followed;
	size_t most = room < MOST_FOLLOWED ? room : MOST_FOLLOWED;
	size_t count = arrivals_list(target, process->address, backlogs->addresses, most);
	const struct backlog *before = find(backlogs, process->id);

	backlogs->followed += count;
	*b = (struct backlog){
		.id = process->id,
		.reds = process->reds,
		.quiet_ns = now_ns,
		.quiet_messages = process->queue,
		.head = count ? backlogs->addresses[0] : 0,
		.head_ns = now_ns,
	};
	if (before) {
		keep_marks(b, before, backlogs->addresses, count);
		if (before->head == b->head)
			b->head_ns = before->head_ns;
	}
	if (before && (before->reds == b->reds || is_untouched(b, before)))
		keep_quiet(b, before);
	add_mark(b, backlogs->addresses, count, now_ns);
}

void backlogs_look(struct backlogs *backlogs, struct processes *processes, uint64_t now_ns)
{
	struct backlog *list = NULL;
	size_t count = 0;

	backlogs->followed = 0;
	for (size_t row = 0; row < processes_rows(processes); row++) {
		const struct process *process = processes_row(processes, row);

		if (!processes_has(processes, row) || !process->queue || !array_has_room(list, count))
			continue;
		look_at(backlogs, processes_target(processes), process, now_ns, &list[count++]);
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_ids);
	free(backlogs->list);
	backlogs->list = list;
	backlogs->count = count;
}

static int compare_parts(const void *a, const void *b)
{
	const struct backlog_part *x = a, *y = b;

	return x->since_ns < y->since_ns ? -1 : x->since_ns > y->since_ns;
}

size_t backlogs_parts(const struct backlogs *backlogs, uint64_t id, struct backlog_part parts[BACKLOG_PARTS])
{
	const struct backlog *b = find(backlogs, id);
	size_t known = 0, count = 0;
	uint64_t messages = 0;

	if (!b)
		return 0;
	parts[known++] = (struct backlog_part){ b->quiet_ns, b->quiet_messages };
	for (size_t i = 0; i < b->mark_count; i++)
		parts[known++] = (struct backlog_part){ b->marks[i].since_ns, b->marks[i].messages };
	/* All parts count from the oldest message: a younger part contains only what is behind the older ones. */
	qsort(parts, known, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < known; i++) {
		uint64_t up_to = parts[i].messages;

		if (up_to <= messages)
			continue;
		parts[count++] = (struct backlog_part){ parts[i].since_ns, up_to - messages };
		messages = up_to;
	}
	return count;
}

uint64_t backlogs_head(const struct backlogs *backlogs, uint64_t id, uint64_t *since_ns)
{
	const struct backlog *b = find(backlogs, id);

	*since_ns = b ? b->head_ns : 0;
	return b ? b->head : 0;
}
