// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each reading takes all current values, so clear() and trunc() work as expected: a counter falls, a series disappears.
 * Only the counts of "other" must not fall when a key gets or loses its own series: an offset keeps what the key has
 * contributed so far.
 */
#include "serve/scripts/script_metrics.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "out/json_line.h"
#include "base/duration.h"
#include "dtrace/aggregations/distribution.h"
#include "dtrace/session/session.h"
#include "serve/scripts/script_series.h"

#define OTHER "other"
#define MOST_BOUNDS 256 /* of one histogram; more buckets are merged */

/* Names. */

static bool ends_so(const char *name, const char *suffix)
{
	size_t length = strlen(name), size = strlen(suffix);

	return length >= size && !strcmp(name + length - size, suffix);
}

/* spawnRate becomes spawn_rate, as the names of metrics are. */
static void add_name(char name[METRICS_NAME], const char *text, size_t size)
{
	size_t at = strlen(name);

	for (size_t i = 0; i < size && at + 3 < METRICS_NAME - strlen("_value"); i++) {
		unsigned char c = (unsigned char)text[i];

		if (isupper(c) && i && islower((unsigned char)text[i - 1]))
			name[at++] = '_';
		name[at++] = isalnum(c) ? (char)tolower(c) : '_';
	}
	name[at] = '\0';
}

/* "erlbpf_script_" and the file's name: what is no letter or digit is "_". */
static void name_of_script(const char *file, char name[METRICS_NAME])
{
	snprintf(name, METRICS_NAME, "erlbpf_script_");
	add_name(name, file, strlen(file) - (ends_so(file, ".d") ? 2 : 0));
}

/* Names must not end like a part of a histogram or counter. */
static void name_metric(struct exported *e, const char *file, const char *agg)
{
	static const char *const taken[] = { "_total", "_count", "_sum", "_bucket", "_created", "_info" };
	bool is_plain = e->kind != AGG_COUNT;

	name_of_script(file, e->metric);
	if (strcmp(agg, "_") != 0) {
		add_name(e->metric, "_", 1);
		add_name(e->metric, agg, strlen(agg));
	}
	for (size_t i = 0; is_plain && i < sizeof(taken) / sizeof(*taken); i++) {
		if (ends_so(e->metric, taken[i])) {
			strcat(e->metric, "_value");
			break;
		}
	}
}

/* Families. */

/*
 * A bucket of D says from where on it counts, one of Prometheus up to where ("le"): values are integers, so that is one
 * less than where the next begins. The last has no bound.
 */
static int make_bounds(struct exported *e, const struct distribution *distribution)
{
	unsigned int together = distribution->count / MOST_BOUNDS + 1, slot = 0;
	_cleanup_free_ double *bounds = calloc(distribution->count + 1, sizeof(*bounds));

	e->slots = calloc(distribution->count + 1, sizeof(*e->slots));
	e->counts = calloc(distribution->count + 1, sizeof(*e->counts));
	if (!bounds || !e->slots || !e->counts)
		return -ENOMEM;
	for (unsigned int i = 0; i < distribution->count; i++) {
		const struct bucket *bucket = &distribution->buckets[i];
		double bound = (double)bucket->high;

		e->slots[i] = slot;
		if (bucket->is_ghost || i % together != together - 1 || i + 1 == distribution->count ||
		    (slot && bound <= bounds[slot - 1]))
			continue;
		bounds[slot++] = bound;
	}
	return metrics_bounds(e->family, bounds, slot);
}

static int read_bounds(struct exported *e, const struct aggregate *aggregate)
{
	struct distribution distribution;
	int err = distribution_read(&distribution, e->kind, aggregate->agg, e->others);

	if (!err)
		err = make_bounds(e, &distribution);
	distribution_free(&distribution);
	return err;
}

static int make_family(struct exported *e, const struct aggregate *aggregate)
{
	const struct symbol *symbol = aggregate->agg->symbol;
	enum metric_kind kind = e->kind == AGG_COUNT	    ? METRIC_COUNTER
				: export_is_distribution(e) ? METRIC_BUCKETS
							    : METRIC_GAUGE;
	char help[512];

	snprintf(help, sizeof(help), "%s, line %d: @%s = %s()", e->script->file, symbol->line,
		 strcmp(symbol->name, "_") ? symbol->name : "", aggregate_function(aggregate));
	e->family = metrics_family(e->script->metrics, e->metric, help, kind, UNIT_NONE, 1);
	if (!e->family)
		return -ENOMEM;
	e->family->is_owned = true;
	e->family->since_ns = duration_now();
	return export_is_distribution(e) ? read_bounds(e, aggregate) : 0;
}

static size_t count_keys(const struct unit_agg *agg)
{
	size_t count = 0;

	for (const struct field *key = agg->keys; key; key = key->next)
		count++;
	return count;
}

static int export(struct exported *e, const struct aggregate *aggregate)
{
	const struct unit_agg *agg = aggregate->agg;

	e->kind = aggregate->kind;
	e->words = agg->words;
	e->key_size = agg->key_size ? agg->key_size : sizeof(uint64_t);
	name_metric(e, e->script->file, agg->symbol->name);
	if (series_new(e))
		return -ENOMEM;
	if (count_keys(agg) > SCRIPT_MOST_KEYS)
		snprintf(e->problem, sizeof(e->problem), "it has more than %d keys", SCRIPT_MOST_KEYS);
	else if (metrics_find(e->script->metrics, e->metric))
		snprintf(e->problem, sizeof(e->problem), "another metric has this name");
	else
		return make_family(e, aggregate);
	return 0;
}

struct script_metrics *script_metrics_new(struct metrics *metrics, const char *file, const struct session *session,
					  size_t series)
{
	const struct aggregates *aggregates = session_aggregates(session);
	struct script_metrics *script = calloc(1, sizeof(*script));

	if (!script)
		return NULL;
	script->metrics = metrics;
	script->series = series;
	snprintf(script->file, sizeof(script->file), "%s", file);
	script->exported = calloc(aggregates->count + 1, sizeof(*script->exported));
	for (size_t i = 0; script->exported && i < aggregates->count; i++) {
		struct exported *e = &script->exported[script->count++];

		e->script = script;
		if (export(e, &aggregates->list[i])) {
			script_metrics_free(script);
			return NULL;
		}
	}
	return script;
}

static void exported_free(struct exported *e)
{
	series_free(e);
	free(e->slots);
	free(e->counts);
	if (e->family)
		metrics_remove(e->script->metrics, e->family);
}

void script_metrics_free(struct script_metrics *script)
{
	if (!script)
		return;
	for (size_t i = 0; i < script->count; i++)
		exported_free(&script->exported[i]);
	free(script->exported);
	free(script);
}

/* Series. */

static void report_distribution(const struct script_reading *r, const struct script_labels *labels,
				const uint64_t *words)
{
	struct exported *e = r->e;
	struct distribution distribution;

	memset(e->counts, 0, (e->family->bound_count + 1) * sizeof(*e->counts));
	if (!distribution_read(&distribution, e->kind, r->aggregate->agg, words)) {
		for (unsigned int i = 0; i < distribution.count; i++) {
			int64_t count = distribution.buckets[i].count;

			/* An increment may be negative; a bucket may not. */
			if (count > 0)
				e->counts[e->slots[i]] += (uint64_t)count / r->aggregate->normal;
		}
		metrics_add_buckets(e->script->metrics, e->family, labels->labels, labels->count, e->counts);
	}
	distribution_free(&distribution);
}

/* Different keys may have the same text. */
static void report_entry(const struct script_reading *r, const struct script_labels *labels, const uint64_t *words)
{
	struct aggregate_entry entry = { .of = r->aggregate, .words = words };
	struct exported *e = r->e;
	double number;

	if (export_is_distribution(e)) {
		report_distribution(r, labels, words);
		return;
	}
	number = (double)aggregate_number(&entry);
	if (e->kind == AGG_COUNT || e->kind == AGG_SUM)
		metrics_add(e->script->metrics, e->family, labels->labels, labels->count, number);
	else
		metrics_set(e->script->metrics, e->family, labels->labels, labels->count, number);
}

static void report_shown(const struct script_reading *r, struct script_key *shown)
{
	struct script_labels labels;

	labels_read(r, shown, &labels);
	report_entry(r, &labels, shown->words);
	memcpy(shown->reported, shown->words, r->e->words * sizeof(*shown->reported));
	labels_free(&labels);
}

static void report_others(const struct script_reading *r)
{
	struct script_labels labels = { .count = 0 };
	struct exported *e = r->e;
	size_t keys = count_keys(r->aggregate->agg);

	series_settle_others(e);
	e->had_others |= e->dropped > 0;
	if (!e->dropped && !(e->had_others && export_is_additive(e)))
		return;
	labels_add(&labels, "script", e->script->file);
	for (size_t i = 0; i < keys; i++)
		labels_add(&labels, script_key_names[i], OTHER);
	report_entry(r, &labels, e->others);
}

static void read_one(const struct script_reading *r)
{
	struct exported *e = r->e;
	struct script_key *shown;

	series_begin(e);
	if (aggregate_each(r->aggregate, &r->print, series_take, e))
		return;
	series_forget_unseen(e);
	if (series_give_places(e, r->aggregate->agg))
		return;
	metrics_clear(e->family);
	for (shown = e->shown; shown; shown = shown->hh.next)
		report_shown(r, shown);
	report_others(r);
}

void script_metrics_read(struct script_metrics *script, const struct session *session, const struct script_host *host)
{
	const struct aggregates *aggregates = session_aggregates(session);

	script->host = host;
	script->breathed_ns = duration_now();
	for (size_t i = 0; i < script->count; i++) {
		struct script_reading reading = {
			.e = &script->exported[i],
			.aggregate = &aggregates->list[i],
			.session = session,
			.host = host,
			.print = session_print(session),
		};

		reading.print.is_terminal = false;
		if (script->exported[i].family)
			read_one(&reading);
	}
}

/* Reports. */

struct json_object *script_metrics_json(const struct script_metrics *script)
{
	json_object *list = json_new_list();

	for (size_t i = 0; i < script->count; i++) {
		const struct exported *e = &script->exported[i];
		json_object *one = json_new();

		json_add_text(one, "metric", e->metric);
		if (e->family)
			json_add_number(one, "dropped", e->dropped);
		else
			json_add_text(one, "problem", e->problem);
		json_push(list, one);
	}
	return list;
}

void script_metrics_report(const struct script_metrics *script, struct metric_family *dropped)
{
	for (size_t i = 0; i < script->count; i++) {
		const struct exported *e = &script->exported[i];
		struct metric_label labels[] = { { "script", script->file }, { "metric", e->metric } };

		if (e->family)
			metrics_set(script->metrics, dropped, labels, 2, (double)e->dropped);
	}
}
