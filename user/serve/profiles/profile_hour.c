// SPDX-License-Identifier: BSD-2-Clause
#include "serve/profiles/profile_hour.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/io/event_loop.h"
#include "base/process/side_process.h"
#include "flame/formats/otlp.h"
#include "options.h"
#include "profile/live.h"
#include "profile/slices.h"
#include "serve/http/privileges.h"
#include "serve/profiles/profile_answer.h"
#include "target/reader/reader.h"
#include "target/selector.h"
#include "version.h"

#define NAME "bpf-prof-hour"
#define MOST_STACKS 16384 /* between two slices, some 2 KiB each */
#define SCAN_NS (5 * NS_PER_S)
#define LENGTH "ERLBPF_SLICE" /* length of a slice in seconds, for tests */

struct profile_hour {
	struct side_process side;
	struct profile_hour_state *state; /* shared with the process */
};

/* --- In the process ----------------------------------------------------------------------------------------- */

/* What the child process inherits. */
static const struct profiler_setup *setup;
static unsigned int frequency;
static struct profile_hour_state *shared;

struct hour {
	int fd; /* of the agent */
	struct kernel kernel;
	struct options nodes;
	struct event_loop *waiting;
	struct live *live;
	struct slices *slices;
};

static uint64_t wall_now(void)
{
	return duration_now() + duration_wall_offset();
}

static int take(struct hour *h)
{
	return live_add(h->live, slices_now(h->slices, wall_now()));
}

static void tell(const struct hour *h)
{
	struct live_totals totals = live_totals(h->live);

	*shared = (struct profile_hour_state){
		.samples = totals.samples,
		.lost = totals.lost,
		.slices = slices_count(h->slices),
		.bytes = slices_bytes(h->slices),
		.nodes = totals.nodes,
		.whole = slices_newest_whole(h->slices),
	};
}

static void on_turn(void *data, uint64_t times)
{
	const struct hour *h = data;

	(void)times;
	live_turn(h->live);
}

static void on_scan(void *data, uint64_t times)
{
	const struct hour *h = data;

	(void)times;
	live_scan(h->live);
	tell(h);
}

/* What cannot be read now goes to the next slice. */
static void on_minute(void *data, uint64_t times)
{
	struct hour *h = data;

	(void)times;
	take(h);
	slices_turn(h->slices, wall_now());
	tell(h);
}

static bool wants(void *data, const char *node)
{
	return selector_is_node(data, node);
}

/* A failed answer has the number too, so that the client continues after it. */
static void pack_slice(const struct slice_whole *slice, struct profile_answer *answer)
{
	struct profile_attribute resource[PAIRS_MOST];
	struct profile_otlp head = {
		.version = ERLBPF_VERSION,
		.resource = resource,
		.start_unix_ns = slice->from_ns,
		.duration_ns = slice->to_ns - slice->from_ns,
		.period_ns = slice->period_ns,
	};

	for (; head.attributes < setup->resource->count; head.attributes++) {
		const struct pair *pair = &setup->resource->at[head.attributes];

		resource[head.attributes] = (struct profile_attribute){ pair->name, pair->value };
	}
	memcpy(head.id, slice->id, sizeof(head.id));
	answer->number = slice->number;
	answer->status = 200;
	answer->body = (char *)profile_pack_otlp(slice->profile, &head, &answer->size);
	if (!answer->body)
		profile_answer_refuse(answer, 500, "cannot pack a minute of profiles: %s", strerror(errno));
	else if (answer->size > PROFILE_ANSWER_MOST)
		profile_answer_refuse(answer, 500, "a minute of profiles is larger than %lu MiB",
				      PROFILE_ANSWER_MOST >> 20);
}

static void answer_next(const struct hour *h, uint64_t after, struct profile_answer *answer)
{
	struct slice_whole slice;

	if (slices_next(h->slices, after, &slice)) {
		pack_slice(&slice, answer);
		return;
	}
	profile_answer_refuse(answer, 204, "there is no other minute");
	answer->number = slices_newest_whole(h->slices);
}

static void answer_past(struct hour *h, struct profile_hour_ask *ask, struct profile_answer *answer)
{
	struct profile *profile;
	int err;

	take(h);
	profile = slices_merge(h->slices, ask->from_ns, ask->to_ns, *ask->node ? wants : NULL, ask->node);
	err = profile ? 0 : errno;
	if (profile)
		profile_answer_show(answer, profile, ask->format);
	else if (err == ENOENT)
		profile_answer_refuse(answer, 404, "nothing was sampled at that time; the last hour is kept");
	else
		profile_answer_refuse(answer, 500, "cannot add up the profiles: %s", strerror(err));
	profile_free(profile);
}

static void on_ask(void *data, uint64_t times)
{
	struct profile_answer answer = {};
	struct profile_hour_ask ask;
	struct hour *h = data;
	int to = -1, err = side_receive(h->fd, &ask, sizeof(ask), &to, 1);

	(void)times;
	if (err && err != -EMFILE) {
		/* The agent has ended. */
		event_loop_stop(h->waiting);
		return;
	}
	if (to < 0)
		return;
	ask.node[sizeof(ask.node) - 1] = '\0';
	if (ask.wants_next && setup->resource)
		answer_next(h, ask.after, &answer);
	else
		answer_past(h, &ask, &answer);
	profile_answer_send(&answer, to);
	close(to);
}

uint64_t profile_hour_slice_ns(void)
{
	const char *text = getenv(LENGTH);
	uint64_t ns;

	return text && !duration_parse(text, NS_PER_S, &ns) && ns >= NS_PER_S ? ns : SLICES_NS;
}

static int open_all(struct hour *h)
{
	struct live_request how = {
		.kernel = &h->kernel,
		.nodes = &h->nodes,
		.frequency = frequency,
		.stacks = MOST_STACKS,
		.join = { .by = STACK_MERGE_NODE },
		.style = { .is_elixir = true, .with_owner = true },
	};

	h->nodes = (struct options){ .glob = "*", .select = *setup->select };
	h->waiting = event_loop_new();
	h->slices = slices_new(wall_now(), profile_hour_slice_ns(), NS_PER_S / frequency);
	h->live = h->waiting && h->slices ? live_new(&how) : NULL;
	return h->live ? live_start(h->live) : -errno;
}

static int prepare(struct hour *h)
{
	uint64_t now = duration_now();
	int err = event_loop_add(h->waiting, h->fd, on_ask, h);

	if (!err)
		err = event_loop_add_timer(h->waiting, now + LIVE_TURN_NS, LIVE_TURN_NS, on_turn, h);
	if (!err)
		err = event_loop_add_timer(h->waiting, now, SCAN_NS, on_scan, h);
	if (!err)
		err = event_loop_add_timer(h->waiting, now + profile_hour_slice_ns(), profile_hour_slice_ns(),
					   on_minute, h);
	return err ? err : privileges_drop(&h->kernel, setup->without_filter ? FILTER_NONE : FILTER_PROFILE);
}

static void run(int fd)
{
	struct hour h = { .fd = fd };

	reader_forget();
	reader_start();
	kernel_detect(&h.kernel);
	if (!profiling_refusal(&h.kernel) && !open_all(&h) && !prepare(&h)) {
		while (!event_loop_is_stopped(h.waiting))
			event_loop_turn(h.waiting, -1);
	}
	live_free(h.live);
	slices_free(h.slices);
	event_loop_free(h.waiting);
}

/* --- In the agent ---------------------------------------------------------------------------------------------- */

static int start(struct profile_hour *hour)
{
	void *page = mmap(NULL, sizeof(*hour->state), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int err;

	if (page == MAP_FAILED)
		return -errno;
	shared = hour->state = page;
	err = side_process_start(&hour->side, NAME, run);
	if (err)
		munmap(page, sizeof(*hour->state));
	return err;
}

struct profile_hour *profile_hour_new(const struct profiler_setup *wanted, unsigned int hz)
{
	struct profile_hour *hour = calloc(1, sizeof(*hour));
	int err;

	if (!hour)
		return NULL;
	setup = wanted;
	frequency = hz;
	err = start(hour);
	if (!err)
		return hour;
	free(hour);
	errno = -err;
	return NULL;
}

void profile_hour_free(struct profile_hour *hour)
{
	if (!hour)
		return;
	side_process_end(&hour->side);
	munmap(hour->state, sizeof(*hour->state));
	free(hour);
}

/* The process sends nothing unasked: readable means that it has ended. */
bool profile_hour_is_lost(const struct profile_hour *hour)
{
	struct pollfd end = { .fd = hour->side.fd, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

struct profile_hour_state profile_hour_state(const struct profile_hour *hour)
{
	return *hour->state;
}

int profile_hour_ask(struct profile_hour *hour, const struct profile_hour_ask *ask)
{
	return profiler_send(hour->side.fd, ask, sizeof(*ask));
}
