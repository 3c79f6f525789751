// SPDX-License-Identifier: BSD-2-Clause
#include "run/summary.h"

#include <errno.h>
#include <stdlib.h>

#include "base/duration.h"
#include "probe/catalogue.h"
#include "run/cases.h"

struct summary_buffers {
	struct sink_probe *probes;
	char (*probe_names)[PROBE_NAME_SIZE];
	struct sink_target *targets;
	char **refusals;
	struct sink_missing **missing;
	char (*missing_names)[2 * PROBE_NAME_SIZE];
	struct sink_note notes[SUMMARY_MAX_NOTES];
};

static void free_buffers(struct summary_buffers *b, size_t targets)
{
	for (size_t i = 0; b->missing && i < targets; i++)
		free(b->missing[i]);
	for (size_t i = 0; b->refusals && i < targets; i++)
		free(b->refusals[i]);
	free(b->refusals);
	free(b->probes);
	free(b->probe_names);
	free(b->targets);
	free(b->missing);
	free(b->missing_names);
}

static void sum_probes(const struct summary_input *in, struct summary_buffers *b, struct sink_summary *summary)
{
	for (uint32_t probe = 0; probe < probe_count(); probe++) {
		const struct erl_count *count = &in->counts[probe];
		struct sink_probe *shown = &b->probes[summary->probe_count];

		if (!count->events && !count->lost)
			continue;
		*shown = (struct sink_probe){
			.name = probe_name(probe, b->probe_names[summary->probe_count]),
			.events = count->events,
			.lost = count->lost,
		};
		summary->probe_count++;
		summary->events += count->events;
		summary->lost += count->lost;
	}
}

static void list_targets(const struct summary_input *in, struct summary_buffers *b, struct sink_summary *summary)
{
	size_t names = 0;

	for (size_t i = 0; i < summary->target_count; i++) {
		const struct attachment *a = follow_get(in->follow, i);
		struct sink_missing *missing = calloc(a->missing_count + 1, sizeof(*missing));

		b->missing[i] = missing;
		b->refusals[i] = attachment_refusal(a);
		b->targets[i] = (struct sink_target){
			.os_pid = a->target->pid,
			.node = a->target->node,
			.otp = a->target->vm->otp,
			.source = attachment_source(a),
			.refused = b->refusals[i],
			.missing = missing,
			.missing_count = missing ? a->missing_count : 0,
		};
		for (size_t m = 0; missing && m < a->missing_count; m++)
			missing[m] = (struct sink_missing){
				.probe = probe_range_name(a->missing[m].probe, a->missing[m].last,
							  b->missing_names[names++]),
				.whole = a->missing[m].whole,
				.why = a->missing[m].why,
			};
	}
}

static size_t count_missing(const struct follow *follow)
{
	size_t count = 0;

	for (size_t i = 0; i < follow_count(follow); i++)
		count += follow_get(follow, i)->missing_count;
	return count;
}

size_t summary_notes(const struct tool *tool, struct run *run, struct sink_note notes[SUMMARY_MAX_NOTES])
{
	size_t count = tool->notes ? tool->notes(run, notes) : 0;

	return tool->columns.fields ? cases_notes(run, notes, count) : count;
}

/* The rest of the time, the probes were off to keep within the budget. */
static double watched_s(const struct summary_input *in)
{
	uint64_t off_ns = pace_off_ns(in->pace, in->pace->ended_ns);

	return in->live_ns > off_ns ? (double)(in->live_ns - off_ns) / NS_PER_S : 0;
}

int summary_show(const struct summary_input *in, struct sink *sink, struct run *run, uint64_t *lost)
{
	struct sink_summary summary = {
		.target_count = follow_count(in->follow),
		.began_ns = in->began_ns,
		.duration_s = (double)in->live_ns / NS_PER_S,
		.watched_s = watched_s(in),
		.cost_ns = pace_cost_ns(in->pace),
	};
	struct summary_buffers b = {
		.probes = calloc(probe_count(), sizeof(*b.probes)),
		.probe_names = calloc(probe_count(), sizeof(*b.probe_names)),
		.targets = calloc(summary.target_count + 1, sizeof(*b.targets)),
		.missing = calloc(summary.target_count + 1, sizeof(*b.missing)),
		.refusals = calloc(summary.target_count + 1, sizeof(*b.refusals)),
		.missing_names = calloc(count_missing(in->follow) + 1, sizeof(*b.missing_names)),
	};
	int err = b.probes && b.probe_names && b.targets && b.missing && b.refusals && b.missing_names ? 0 : -ENOMEM;

	if (!err) {
		sum_probes(in, &b, &summary);
		list_targets(in, &b, &summary);
		summary.probes = b.probes;
		summary.targets = b.targets;
		summary.notes = b.notes;
		summary.note_count = summary_notes(in->tool, run, b.notes);
		sink->ops->summary(sink, &summary);
		*lost = summary.lost;
		for (size_t i = 0; i < summary.note_count; i++)
			*lost += b.notes[i].is_loss ? b.notes[i].count : 0;
	}
	free_buffers(&b, summary.target_count);
	return err;
}
