// SPDX-License-Identifier: BSD-2-Clause
#include "run/empty_result.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/duration.h"
#include "probe/catalogue.h"
#include "trace/refusals.h"

/* Since the last snapshot. */
static uint64_t count_lost(const struct run *run)
{
	uint64_t lost = 0;

	for (uint32_t probe = 0; probe < probe_count(); probe++)
		lost += run->now[probe].lost - run->seen[probe].lost;
	return lost;
}

/* The nodes that are or were traced; NULL: none. */
static const struct target *count_traced(const struct run *run, size_t *count)
{
	const struct target *first = NULL;

	*count = 0;
	for (size_t i = 0; i < follow_count(run->follow); i++) {
		const struct attachment *a = follow_get(run->follow, i);

		if (!a->site_count)
			continue;
		first = first ? first : a->target;
		++*count;
	}
	return first;
}

static void write_where(FILE *to, const struct target *first, size_t count)
{
	if (count > 1)
		fprintf(to, " on %zu nodes", count);
	else if (first->node[0])
		fprintf(to, " on %s", first->node);
	else
		fprintf(to, " on the node of process %d", first->pid);
}

static void write_advice(FILE *to, const struct run *run)
{
	const struct options *o = run->options;
	uint64_t lost = count_lost(run);

	if (lost)
		fprintf(to, ", but %" PRIu64 " events were lost", lost);
	else if (o->erl_pid)
		fputs("; leave out --erl-pid to trace the other processes too", to);
	else if (o->min_ns)
		fputs("; leave out --min to see the shorter ones too", to);
	else if (run->tool->instead)
		fprintf(to, "; %s", run->tool->instead);
	else
		fputs("; a longer trace may see more, and `erlbpf top` shows which processes run", to);
}

/* What the sentences begin with; false: nothing is to be said. */
static bool find_time(const struct run *run, char took[32])
{
	uint64_t from = run->since_ns ? run->since_ns : run->live_ns;
	bool is_rest = run->end_ns && run->options->interval_ns && run->since_ns;
	uint64_t until = run->end_ns ? run->end_ns : duration_now();

	duration_format(until > from ? until - from : 0, took);
	return from && !is_rest;
}

/* Which of what happens was asked for. */
static void write_limits(FILE *to, const struct options *o)
{
	char least[32];

	if (o->chose_glob)
		fprintf(to, " (of %s)", o->glob);
	if (o->min_ns)
		fprintf(to, " (of %s or more)", duration_format(o->min_ns, least));
}

const char *empty_result_sentence(const struct run *run, char text[EMPTY_RESULT_SIZE])
{
	bool is_partial = refusals_are_parts(run->follow, run->tool);
	const char *what = is_partial		? "nothing was seen of what can be seen"
			   : run->tool->nothing ? run->tool->nothing
						: "there was nothing to show";
	uint64_t calls = called_calls(&run->called);
	char took[32];
	size_t count;
	const struct target *first = count_traced(run, &count);
	FILE *to = find_time(run, took) && first ? fmemopen(text, EMPTY_RESULT_SIZE, "w") : NULL;

	if (!to)
		return NULL;
	fprintf(to, "In %s, ", took);
	/* Between windows of probes. */
	if (calls)
		fprintf(to, "the VM counted %" PRIu64 " call%s, and none was measured,", calls, calls == 1 ? "" : "s");
	else
		fputs(what, to);
	write_where(to, first, count);
	write_limits(to, run->options);
	write_advice(to, run);
	putc('.', to);
	fclose(to);
	return text;
}

const char *empty_result_below_min(const struct run *run, char text[EMPTY_RESULT_SIZE])
{
	uint64_t min_ns = run->options->min_ns;
	bool is_said = min_ns && run->measured.is_some && !run->measured.has_shown && run->measured.longest_ns < min_ns;
	char took[32], least[32], longest[32];
	size_t count;
	const struct target *first = count_traced(run, &count);
	FILE *to = is_said && find_time(run, took) && first ? fmemopen(text, EMPTY_RESULT_SIZE, "w") : NULL;

	if (!to)
		return NULL;
	fprintf(to, "In %s, nothing took %s or more", took, duration_format(min_ns, least));
	write_where(to, first, count);
	fprintf(to, " (%s); the longest took %s.", run->hist_title, duration_format(run->measured.longest_ns, longest));
	fclose(to);
	return text;
}
