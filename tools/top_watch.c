// SPDX-License-Identifier: BSD-2-Clause
/*
 * Data from probes about the process whose page is open (bpf/watched.bpf.h), since it was opened: how long its messages
 * wait, how old the oldest is, and who sends to it.
 */
#include "top_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/duration.h"
#include "hist.h"
#include "out/cell.h"
#include "out/process_page.h"
#include "out/sink_hist.h"

#define SENDERS_SHOWN 8
#define BAR 40 /* characters */
#define TEXT_SIZE 512
#define SLACK_NS (50 * NS_PER_MS) /* between a look at the clock and one at the probes */

static bool forget(void *data, const void *key, const void *value)
{
	(void)data;
	(void)key;
	(void)value;
	return true;
}

void top_watch(struct run *run, const struct view_key *key)
{
	static const struct top_watched nobody;
	const uint32_t only = 0;
	struct top *top = run_state(run);
	struct top_watched watched = { .id = key ? key->id : 0, .os_id = key ? key->os_id : 0 };

	if (watched.id == top->watched.id && watched.os_id == top->watched.os_id)
		return;
	top->watched = watched;
	run_put(run, "top_watched", &only, &nobody);
	run_each(run, "top_messages", forget, NULL);
	run_each(run, "top_senders", forget, NULL);
	run_each(run, "top_waits", forget, NULL);
	top->watched_ns = duration_now();
	top->watched_on_ns = run_on_ns(run, top->watched_ns);
	if (watched.id)
		run_put(run, "top_watched", &only, &watched);
}

/* Read from the maps. */

struct sender {
	uint64_t id, count;
};

struct seen {
	struct run *run;
	struct panel_line *lines;
	size_t *line_count;
	uint64_t receiver;
	uint64_t elapsed_ns, on_ns;
	uint64_t *waiting; /* when each message that waits was enqueued */
	size_t waiting_count;
	struct sender *senders;
	size_t sender_count;
	uint64_t sent; /* by all */
	uint64_t slots[HIST_SLOTS];
};

static bool take_message(void *data, const void *key, const void *value)
{
	const struct top_message *message = value;
	struct seen *seen = data;

	(void)key;
	if (message->receiver == seen->receiver && array_has_room(seen->waiting, seen->waiting_count))
		seen->waiting[seen->waiting_count++] = message->enqueued_ns;
	return false;
}

static bool take_sender(void *data, const void *key, const void *value)
{
	struct sender sender;
	struct seen *seen = data;

	memcpy(&sender.id, key, sizeof(sender.id));
	memcpy(&sender.count, value, sizeof(sender.count));
	seen->sent += sender.count;
	if (array_has_room(seen->senders, seen->sender_count))
		seen->senders[seen->sender_count++] = sender;
	return false;
}

static bool take_wait(void *data, const void *key, const void *value)
{
	struct seen *seen = data;
	uint64_t slot, count;

	memcpy(&slot, key, sizeof(slot));
	memcpy(&count, value, sizeof(count));
	if (slot < HIST_SLOTS)
		seen->slots[slot] += count;
	return false;
}

/* Lines. */

static void add(struct seen *seen, const char *title, const char *text)
{
	process_page_add(seen->lines, seen->line_count, title, text);
}

static bool is_exact(const struct seen *seen)
{
	return seen->on_ns + SLACK_NS >= seen->elapsed_ns;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * More may have been seen than there are, as what is dropped is not forgotten: the newest are there. Fewer: the others
 * were there before the page was opened, or came while probes were off.
 */
static void add_oldest(struct seen *seen, uint64_t queue)
{
	char text[TEXT_SIZE], age[32];
	size_t unseen = queue > seen->waiting_count ? queue - seen->waiting_count : 0;
	size_t oldest = seen->waiting_count > queue ? seen->waiting_count - queue : 0;
	uint64_t now = duration_now(), ns;

	if (!queue) {
		add(seen, "oldest_wait", "no message waits");
		return;
	}
	if (seen->waiting_count)
		qsort(seen->waiting, seen->waiting_count, sizeof(*seen->waiting), compare_times);
	if (unseen && is_exact(seen))
		ns = seen->elapsed_ns;
	else if (seen->waiting_count && (unseen || is_exact(seen)))
		ns = now - seen->waiting[oldest];
	else
		ns = 0;
	if (ns)
		snprintf(text, sizeof(text), "%s%s", unseen ? ">= " : "", cell_duration(ns, false, age));
	else
		snprintf(text, sizeof(text), "not known: it came while probes were off");
	add(seen, "oldest_wait", text);
}

static void add_bucket(struct seen *seen, uint64_t lo, uint64_t count, uint64_t most)
{
	char bar[BAR + 1], text[TEXT_SIZE], from[32];
	int length = (int)((count * BAR + most - 1) / most);

	memset(bar, '@', sizeof(bar));
	snprintf(text, sizeof(text), "%8s |%-*.*s %" PRIu64, cell_duration(lo, false, from), BAR, length, bar, count);
	add(seen, "", text);
}

static void add_buckets(struct seen *seen, const struct sink_hist *hist)
{
	uint64_t buckets[SINK_BUCKETS], most = 1;
	unsigned int first = SINK_BUCKETS, last = 0;

	sink_buckets(hist, buckets);
	for (unsigned int i = 0; i < SINK_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		first = first < SINK_BUCKETS ? first : i;
		last = i;
		most = buckets[i] > most ? buckets[i] : most;
	}
	for (unsigned int i = first; i <= last; i++)
		add_bucket(seen, sink_bucket_lo(hist, i), buckets[i], most);
}

static void add_waits(struct seen *seen)
{
	struct sink_hist hist = { .slots = seen->slots, .max = UINT64_MAX };
	char text[TEXT_SIZE], p50[32], p90[32], p99[32];

	for (size_t i = 0; i < HIST_SLOTS; i++)
		hist.count += seen->slots[i];
	for (uint32_t i = HIST_SLOTS; i > 0 && hist.max == UINT64_MAX; i--) {
		if (seen->slots[i - 1])
			hist.max = hist_slot_hi(i - 1);
	}
	if (!hist.count) {
		add(seen, "waits", "no message was received");
		return;
	}
	snprintf(text, sizeof(text), "p50 %s  p90 %s  p99 %s  of %" PRIu64 " messages",
		 cell_duration(sink_percentile(&hist, 0.5), false, p50),
		 cell_duration(sink_percentile(&hist, 0.9), false, p90),
		 cell_duration(sink_percentile(&hist, 0.99), false, p99), hist.count);
	add(seen, "waits", text);
	add_buckets(seen, &hist);
}

static int compare_senders(const void *a, const void *b)
{
	const struct sender *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void add_senders(struct seen *seen, struct processes *processes)
{
	char text[TEXT_SIZE], who[PROCESS_PAGE_WHO];

	if (seen->sender_count)
		qsort(seen->senders, seen->sender_count, sizeof(*seen->senders), compare_senders);
	snprintf(text, sizeof(text), "%zu, %" PRIu64 " messages", seen->sender_count, seen->sent);
	add(seen, "senders", text);
	for (size_t i = 0; i < seen->sender_count && i < SENDERS_SHOWN; i++) {
		snprintf(text, sizeof(text), "%3u%% %8" PRIu64 "  %s",
			 (unsigned int)(seen->senders[i].count * 100 / seen->sent), seen->senders[i].count,
			 process_page_who(processes, seen->senders[i].id, who));
		add(seen, "", text);
	}
	if (seen->sender_count > SENDERS_SHOWN)
		add(seen, "", "...");
}

/* For how long it was looked at, and what of it is missing. */
static void add_extent(struct seen *seen)
{
	const uint32_t only = 0;
	struct top_watched watched = {};
	char text[TEXT_SIZE], since[32];
	int n;

	n = snprintf(text, sizeof(text), "for %s", cell_duration(seen->elapsed_ns, false, since));
	if (!is_exact(seen))
		n += snprintf(text + n, sizeof(text) - (size_t)n, ", probes on for %.1f %% of it",
			      (double)seen->on_ns * 100 / (double)seen->elapsed_ns);
	run_get(seen->run, "top_watched", &only, &watched);
	if (watched.lost_messages || watched.lost_senders)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 ", %" PRIu64 " messages and %" PRIu64 " senders had no room", (uint64_t)watched.lost_messages,
			 (uint64_t)watched.lost_senders);
	add(seen, "watched", text);
}

void top_watch_lines(struct run *run, struct processes *processes, const struct process *process,
		     struct panel_line *lines, size_t *count)
{
	struct top *top = run_state(run);
	uint64_t now = duration_now();
	struct seen seen = {
		.run = run,
		.lines = lines,
		.line_count = count,
		.receiver = process->id,
		.elapsed_ns = now - top->watched_ns,
		.on_ns = run_on_ns(run, now) - top->watched_on_ns,
	};

	if (!seen.on_ns) {
		add(&seen, "oldest_wait", "not known: no probe was on");
		return;
	}
	run_each(run, "top_messages", take_message, &seen);
	run_each(run, "top_senders", take_sender, &seen);
	run_each(run, "top_waits", take_wait, &seen);
	add_oldest(&seen, process->queue);
	add_waits(&seen);
	add_senders(&seen, processes);
	add_extent(&seen);
	free(seen.waiting);
	free(seen.senders);
}
