// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which of its own probes does the code of an application fire, and how long do its spans take? The package erlbpf
 * (probes/app) fires all by two probes of the catalogue; which of the application's it is, an atom says.
 */
#include "measure.bpf.h"
#include "counter.bpf.h"
#include "pattern.bpf.h"
#include "term.bpf.h"
#include "app.h"

const volatile struct app_config app_config = {};

static __always_inline bool is_wanted(u64 name)
{
	return app_config.is_any || pattern_matches_atom(&app_config.pattern, TERM_ATOM_INDEX(name));
}

static __always_inline bool send(const struct app_event *e, u64 term)
{
	struct term_place *place = term_place_get();
	struct app_event *event;
	long err;

	if (!place)
		return false;
	event = term_place_head(place, struct app_event);
	*event = *e;
	event->name = name_of_process(e->id);
	/* The trace id is small, and may not be what a large term leaves no room for. */
	term_begin(&place->snapshot, TERM_LINES);
	place->snapshot.term = term;
	term_add(&place->snapshot, e->trace);
	term_add(&place->snapshot, term);
	err = bpf_ringbuf_output(&erl_ring, event, sizeof(*event) + term_snapshot_size(&place->snapshot), ring_flags());
	term_place_put(place);
	return !err;
}

/* By name: firings, the time of spans that have ended, how many those are, and how many by an exception. */
static __always_inline void count(const struct erl_hit *hit, const struct app_event *e)
{
	struct counter_key key = { .id = measure_key(e->id, e->what), .os_id = e->os_id };
	bool has_ended = e->kind == APP_STOP || e->kind == APP_EXCEPTION;

	/* A start is no case of its own. */
	counter_add_all(&key, e->took_ns, has_ended, e->kind == APP_EXCEPTION, e->kind != APP_START);
	if (has_ended)
		measure_add(hit, e->id, e->what, e->took_ns, 1);
}

static __always_inline int fired(void *ctx, const struct erl_hit *hit, struct app_event *e)
{
	u64 name = erl_arg(ctx, hit, 1);

	if (!TERM_IS_ATOM(name)) {
		account_add(APP_NAMELESS, 1);
		return 0;
	}
	if (!is_wanted(name))
		return 0;
	e->time_ns = bpf_ktime_get_ns();
	e->what = erl_id_of(ERL_ID_ATOM, TERM_ATOM_INDEX(name));
	e->os_id = hit->os_id;
	e->probe = hit->probe;
	/* A kind that is none is hostile: it is shown as what it is not worse than. */
	if (e->kind >= APP_KINDS)
		e->kind = APP_HIT;
	if (app_config.counts) {
		count(hit, e);
		erl_count(hit);
	} else if (e->took_ns < measure.min_ns || send(e, erl_arg(ctx, hit, 2))) {
		erl_count(hit);
	} else {
		erl_count_lost(hit);
	}
	return 0;
}

SEC("usdt/vm:app-probe")
int app_probe(void *ctx)
{
	struct app_event e = { .kind = APP_HIT };
	struct erl_hit hit;

	e.id = measure_enter(ctx, &hit);
	return e.id ? fired(ctx, &hit, &e) : 0;
}

SEC("usdt/vm:app-span")
int app_span(void *ctx)
{
	struct app_event e = {};
	struct erl_hit hit;

	e.id = measure_enter(ctx, &hit);
	if (!e.id)
		return 0;
	e.kind = erl_arg(ctx, &hit, 3);
	e.span = erl_arg(ctx, &hit, 4);
	e.parent = erl_arg(ctx, &hit, 5);
	e.took_ns = erl_arg(ctx, &hit, 6);
	e.trace = erl_arg(ctx, &hit, 7);
	return fired(ctx, &hit, &e);
}
