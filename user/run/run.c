// SPDX-License-Identifier: BSD-2-Clause
/*
 * A tool at work: its programs loaded, its targets followed, its results read. When results are read is up to who
 * runs it: see loop.c. What a tool may ask for meanwhile is in for_tools.c.
 */
#include "run/run.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/log.h"
#include "erl.h"
#include "probe/catalogue.h"
#include "run/cases.h"
#include "load/dump.h"
#include "budget/hit_cost.h"
#include "budget/window.h"
#include "results/histogram.h"
#include "out/sink_hist.h"
#include "trace/required.h"
#include "run/empty_result.h"

/* Counts. */

static struct erl_count sum_counts(const struct erl_count *counts, int cpus)
{
	struct erl_count sum = {};

	for (int i = 0; i < cpus; i++) {
		sum.events += counts[i].events;
		sum.lost += counts[i].lost;
	}
	return sum;
}

/* All at once, of a kernel that can (5.13); what it has not given is read one by one. */
static uint32_t read_batch(int fd, uint32_t count, struct erl_count *buf)
{
	_cleanup_free_ uint32_t *keys = calloc(count, sizeof(*keys));
	uint32_t position, got = count;

	if (!keys)
		return 0;
	if (bpf_map_lookup_batch(fd, NULL, &position, keys, buf, &got, NULL) && errno != ENOENT)
		return 0;
	return got;
}

int run_counts(struct run *run)
{
	int cpus = libbpf_num_possible_cpus(), fd = run_map(run, "erl_counts");
	uint32_t count = probe_count(), probe;
	_cleanup_free_ struct erl_count *buf = calloc(cpus > 0 ? (size_t)cpus * count : 1, sizeof(*buf));

	if (!buf || cpus <= 0)
		return -ENOMEM;
	for (probe = read_batch(fd, count, buf); probe < count; probe++) {
		if (bpf_map_lookup_elem(fd, &probe, &buf[probe * (uint32_t)cpus]))
			return -errno;
	}
	for (probe = 0; probe < count; probe++)
		run->now[probe] = sum_counts(&buf[probe * (uint32_t)cpus], cpus);
	return 0;
}

/* Snapshots. */

static const char *key_text(struct run *run, const struct hist_key *key, const char *node)
{
	if (run->options->by == TAKES_BY_NODE)
		return node[0] ? node : "(no name)";
	return key->id ? run_key(run, (int)key->os_id, key->id) : "(unknown)";
}

/* Of a process its name, of a socket its addresses. */
static const char *name_of_key(struct run *run, const struct hist *hist, char buf[RUN_NAME_SIZE])
{
	if (run->addresses && run->options->by == TAKES_BY_PORT)
		return addresses_of(run->addresses, (uint32_t)hist->key.os_id, hist->key.id).both;
	if (erl_id_kind(hist->key.id) != ERL_ID_LOCAL)
		return NULL;
	return run_name(run, (int)hist->key.os_id, hist->key.id, hist->sum.name, buf);
}

/* Once in an interval: of a tool with a histogram and a table, both may be empty. */
static void say_nothing(struct run *run)
{
	char text[EMPTY_RESULT_SIZE];
	const char *sentence = run->sink.has_answer ? NULL : empty_result_sentence(run, text);

	if (sentence)
		run->sink.ops->nothing(&run->sink, sentence);
	run->sink.has_answer = true;
}

/* Once in an interval, too: where there are cases, but none is as long as the user asks for. */
static void say_none_reached(struct run *run)
{
	char text[EMPTY_RESULT_SIZE];
	const char *sentence = run->sink.ops->nothing ? empty_result_below_min(run, text) : NULL;

	if (sentence)
		run->sink.ops->nothing(&run->sink, sentence);
	run->measured = (struct run_measured){};
}

/* Durations below what probes add are as uncertain as that. */
static uint64_t resolution_of(const struct run *run)
{
	struct hit_costs costs = hit_costs_now();
	uint64_t pair_ns = costs.pair_ns ? costs.pair_ns : costs.bare_ns[HIT_PLAIN];

	if (strcmp(run->hist_unit, "ns") != 0)
		return 0;
	return sink_resolution(run->tool->hist->is_of_calls && costs.call_ns > pair_ns ? costs.call_ns : pair_ns);
}

static uint64_t take_zeros(struct hist *hist)
{
	uint64_t zeros = hist->slots[0];

	hist->slots[0] = 0;
	hist->count -= zeros;
	return zeros;
}

static void show_hist(void *data, struct hist *hist)
{
	struct run *run = data;
	char name[RUN_NAME_SIZE];
	struct sink_note apart = {};
	struct sink_hist shown;
	uint64_t count = hist->count;

	if (run->tool->hist->zero) {
		apart = *run->tool->hist->zero;
		apart.count = take_zeros(hist);
	}
	shown = (struct sink_hist){
		.title = run->hist_title,
		.unit = run->hist_unit,
		.count = hist->count,
		.sum = hist->sum.sum,
		.min = hist->count ? hist->sum.min : 0,
		.max = hist->sum.max,
		.resolution_ns = resolution_of(run),
		.apart = run->tool->hist->zero ? &apart : NULL,
		.slots = (const uint64_t *)hist->slots,
	};
	if (hist->key.os_id) {
		shown.os_id = (int)hist->key.os_id;
		shown.node = run_node(run, shown.os_id);
		shown.key = key_text(run, &hist->key, shown.node);
		shown.name = name_of_key(run, hist, name);
	} else if (run->options->by && count) {
		shown.key = "other";
	}
	run_add_measured(run, &shown);
	if (!count && run->sink.ops->nothing)
		say_nothing(run);
	else if (run->by_table.rows && count)
		by_table_add(&run->by_table, &shown);
	else if (count || !run->options->by)
		run->sink.ops->hist(&run->sink, &shown);
}

static int show_table(struct run *run)
{
	return run->tool->snapshot ? run->tool->snapshot(run) : 0;
}

bool run_has_lengths(const struct run *run)
{
	return run->tool->hist || run->tool->columns.fields;
}

static struct sink_window window_of(struct run *run)
{
	struct pace_seen seen = pace_take(&run->pace, run->live_ns, run->turn_to_ns);

	return (struct sink_window){
		.is_part = seen.is_part,
		.watched_s = seen.watched_s,
		.of_s = seen.of_s,
		.windows = seen.windows,
		.cut = seen.cut,
		.seen = seen.seen,
		/* Counts do not change by it. */
		.slowdown = run->tool->hist && !strcmp(run->hist_unit, "ns") ? seen.slowdown : 1,
		.has_rate = seen.has_rate,
		.rate = seen.rate.rate,
		.rate_low = seen.rate.low,
		.rate_high = seen.rate.high,
	};
}

int run_turn(struct run *run)
{
	int err = loader_map(run->loader, "erl_generation") >= 0 ? dump_turn(run->loader, &run->generation) : 0;

	run->turn_from_ns = run->turn_to_ns ? run->turn_to_ns : run->live_ns;
	run->turn_to_ns = run_reached_ns(run);
	if (run->pace.began_ns)
		run->window = window_of(run);
	if (err)
		pr_err("cannot turn to the next results: %s", strerror(-err));
	return err;
}

int run_take(struct run *run)
{
	bool is_interval = run->options->interval_ns > 0;
	/* A file of CSV holds one table, and what comes first is it. */
	bool is_csv = run->options->format == SINK_CSV;
	int err = run_counts(run);

	run->sink.window = run->window;
	if (!err)
		err = called_turn(&run->called, run->follow, run->generation);
	if (run->addresses)
		addresses_refresh(run->addresses, false);
	if (!err && is_interval)
		run->sink.ops->interval(&run->sink, run_wall_ns(run, duration_now()));
	if (!err && is_csv)
		err = show_table(run);
	if (!err && run->tool->hist && !run->without_hist)
		err = hist_take(run->loader, run->ids, run->generation, show_hist, run);
	if (!err)
		by_table_show(&run->by_table, &run->sink, run->options->with_hist);
	if (!err && !is_csv)
		err = show_table(run);
	/* Histograms that the tool itself has made, beside those of its programs. */
	if (!err)
		by_table_show(&run->by_table, &run->sink, run->options->with_hist);
	if (!err && run->sink.ops->nothing && !run->sink.has_answer)
		say_nothing(run);
	say_none_reached(run);
	run->sink.has_answer = run->sink.has_told_window = false;
	run->since_ns = duration_now();
	ids_forget(run->ids);
	memcpy(run->seen, run->now, probe_count() * sizeof(*run->seen));
	if (err)
		pr_err("cannot read the results: %s", strerror(-err));
	return err;
}

int run_snapshot(struct run *run)
{
	int err = run_turn(run);

	kernel_quiesce();
	return err ? err : run_take(run);
}

/* Events. */

static int on_record(void *data, void *record, size_t size)
{
	struct run *run = data;

	if (run->fields)
		cases_show(run, record, size);
	else
		run->tool->event(run, record, size);
	ids_forget(run->ids);
	return run->turn_end_ns && duration_now() >= run->turn_end_ns ? -EAGAIN : 0;
}

int run_finish(struct run *run)
{
	int err = run->tool->finish ? run->tool->finish(run) : 0;

	if (err)
		pr_err("cannot read what has not ended: %s", strerror(-err));
	return err;
}

/* Start. */

static int configure_measure(struct run *run)
{
	const struct options *o = run->options;
	struct measure_config measure = cases_config(run->tool, o);
	__u32 by_key = o->by != 0;
	int err = run_set(run, "measure", &measure, sizeof(measure));

	/* Only the programs of tools that measure include measure.bpf.h. */
	if (err == -ENOENT && !run->tool->hist && !run->tool->columns.fields)
		return 0;
	if (!err)
		err = run_set(run, "hist_by_key", &by_key, sizeof(by_key));
	if (!err && (!o->by || run->most_keys))
		hist_limit_keys(run->loader, o->by ? run->most_keys : 0);
	return err;
}

/* Histograms are made in the kernel; a record is of a case that was as long as asked for. */
static bool has_records(const struct run *run)
{
	return !run->tool->hist || run->without_hist || run->options->min_ns;
}

enum pace_mode run_pace_mode(const struct run *run)
{
	bool counts = run->tool->view || (run->options->by && !run->options->min_ns) ||
		      (run->options->entry && !run->options->show);
	bool lists_events = (run->tool->event || run->tool->columns.fields) && has_records(run) && !counts;

	if (run->options->pace != PACE_DEFAULT)
		return run->options->pace;
	/* What the VM does alone is all or nothing. */
	if (run->breakpoints.counts_only)
		return PACE_ALWAYS;
	return lists_events ? PACE_BREAKER : PACE_SAMPLE;
}

/* What measuring adds to what is measured is known from the first hit on, or soon. */
static void set_window(const struct run *run)
{
	struct hit_costs costs = hit_costs_now();

	window_set(run->loader, &(struct erl_window){ .pair_ns = costs.pair_ns, .return_ns = costs.call_ns });
}

static int load(struct run *run)
{
	size_t size;
	const void *elf = run->tool->elf(&size);
	int err = loader_open(elf, size, &run->kernel, &run->loader);

	if (!err && run->tool->configure)
		err = run->tool->configure(run);
	if (!err)
		err = configure_measure(run);
	if (!err && !run->ring_bytes && !has_records(run))
		run->ring_bytes = RUN_FEW_RECORDS;
	if (!err && run->ring_bytes)
		loader_resize(run->loader, "erl_ring", run->ring_bytes);
	if (!err)
		err = loader_make_maps(run->loader);
	if (!err)
		set_window(run);
	if (!err && loader_map(run->loader, "hist_total") >= 0)
		err = hist_prepare(run->loader);
	if (!err && (run->tool->event || run->fields)) {
		run->ring = ring_buffer__new(run_map(run, "erl_ring"), on_record, run, NULL);
		err = run->ring ? 0 : -errno;
		if (err)
			pr_err("cannot read the ring buffer: %s", strerror(-err));
	}
	return err;
}

static bool is_needed(const void *data, const char *probe, const struct attachment *so_far)
{
	const struct run *run = data;

	return required_probe(run->tool, run->options, probe, so_far);
}

static bool is_detail(const void *data, const char *probe)
{
	const struct run *run = data;

	return required_for_details(run->tool, probe);
}

static bool is_required(const void *data, const char *probe)
{
	const struct run *run = data;

	/* Which functions are traced is the user's choice, and a VM may lack some of them, or all of a kind. */
	if ((strcmp(run->options->glob, "*") && !run->options->via) || run->tool->takes & TAKES_VM_FUNCTIONS)
		return false;
	return required_always(run->tool, probe);
}

/* Programs that read JSON and CSV get names that do not depend on who reads them. */
static struct name_style name_style(const struct options *options)
{
	bool is_text = options->format == SINK_TEXT;

	return (struct name_style){
		.is_elixir = options->names ? options->names == SPELLING_ELIXIR : is_text,
		.with_owner = is_text,
	};
}

/* Is all that is asked for what the VM counts anyway? */
static bool counts_only(const struct options *o)
{
	return o->via == VIA_VM && o->entry && !o->show && !o->when.count && !o->erl_pid &&
	       (!o->by || o->by == TAKES_BY_FUNCTION);
}

static int make_follow(struct run *run)
{
	run->breakpoints = (struct breakpoints_request){
		.globs = &run->options->glob,
		.glob_count = 1,
		.cookie_file = run->options->cookie_file,
		.call_limit = run->options->call_limit,
		.atoms = run->options->when_atoms,
		.loader = run->loader,
		.map = "functions_wanted",
		.entry_only = run->options->entry,
		.counts_looked = true,
		.counts_only = counts_only(run->options),
		.is_paced = run_pace_mode(run) == PACE_SAMPLE,
		.is_hardware = run->options->via == VIA_HW,
		.limit_option = "--call-limit",
		.cookie_option = "--cookie-file",
	};
	run->request = (struct attach_request){
		.loader = run->loader,
		.kernel = &run->kernel,
		.glob = run->chosen ? run->chosen : run->options->glob,
		.source = run->options->source,
		.allow_denied = run->options->allow_denied,
		.args = run->tool->args,
		.is_needed = is_needed,
		.is_required = is_required,
		.is_detail = is_detail,
		.needed_data = run,
		.with_terms = run->options->show || run->with_terms,
		.functions = run->tool->takes & TAKES_VM_FUNCTIONS ? &run->options->functions : NULL,
		.chosen = run->chosen,
		.names = name_style(run->options),
		.erl_pid = run->options->erl_pid,
		.erlang_functions = run->tool->takes & TAKES_FUNCTIONS && !run->options->via ? run->options->glob
											     : NULL,
		.breakpoints = run->options->via ? &run->breakpoints : NULL,
	};
	run->follow = follow_new(&run->request, run->options);
	if (run->follow)
		run->ids = ids_new(run->loader, run->follow);
	if (run->ids && run->with_addresses)
		run->addresses = addresses_new(run->loader, run->follow);
	if (!run->ids || run->with_addresses != !!run->addresses)
		return -errno;
	if (run->options->pace == PACE_NEVER)
		follow_pause(run->follow);
	return 0;
}

int run_open(struct run *run, const struct tool *tool, const struct options *options)
{
	run->tool = tool;
	run->options = options;
	run->wall_offset = duration_wall_offset();
	run->seen = calloc(probe_count(), sizeof(*run->seen));
	run->now = calloc(probe_count(), sizeof(*run->now));
	run->state = calloc(1, tool->state_size + 1);
	run->fields = tool->columns.fields;
	/* Else its columns are those of events. */
	if (tool->snapshot && !tool->event && !tool->columns.fields)
		run_draws(run, tool->columns.list, tool->columns.count);
	if (tool->hist)
		run_measures(run, tool->hist->title, tool->hist->unit);
	if (!run->seen || !run->now || !run->state)
		return -ENOMEM;
	return 0;
}

int run_load(struct run *run)
{
	int err = load(run);

	return err ? err : make_follow(run);
}

void run_consume(struct run *run, uint64_t limit_ns)
{
	run->turn_end_ns = limit_ns ? duration_now() + limit_ns : 0;
	if (run->ring)
		ring_buffer__consume(run->ring);
}

void run_close(struct run *run)
{
	if (run->tool && run->tool->end && run->state)
		run->tool->end(run);
	follow_free(run->follow);
	ids_free(run->ids);
	addresses_free(run->addresses);
	ring_buffer__free(run->ring);
	loader_free(run->loader);
	pace_free(&run->pace);
	by_table_free(&run->by_table);
	called_free(&run->called);
	free(run->counter);
	free(run->state);
	free(run->seen);
	free(run->now);
}
