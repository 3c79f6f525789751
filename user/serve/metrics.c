// SPDX-License-Identifier: BSD-2-Clause
#include "serve/metrics.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"

#define OTHER "other"
#define MAX_SERIES 20000	/* of one family: nodes and probes are few, but their names are not ours */

struct metrics {
	size_t names;
	struct metric_family **families;
	size_t count;
};

struct metrics *metrics_new(size_t names)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics)
		metrics->names = names;
	return metrics;
}

static void series_clear(struct metric_series *series)
{
	for (size_t i = 0; i < series->label_count; i++)
		free((char *)series->labels[i].value);
	free(series->slots);
	*series = (struct metric_series){};
}

static void family_free(struct metric_family *family)
{
	for (size_t i = 0; i < family->series_count; i++)
		series_clear(&family->series[i]);
	free(family->series);
	free(family);
}

void metrics_free(struct metrics *metrics)
{
	if (!metrics)
		return;
	for (size_t i = 0; i < metrics->count; i++)
		family_free(metrics->families[i]);
	free(metrics->families);
	free(metrics);
}

struct metric_family *metrics_family(struct metrics *metrics, const char *name, const char *help,
				     enum metric_kind kind, enum metric_unit unit, double scale)
{
	struct metric_family **grown, *family;

	for (size_t i = 0; i < metrics->count; i++) {
		if (!strcmp(metrics->families[i]->name, name))
			return metrics->families[i];
	}
	grown = realloc(metrics->families, (metrics->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	metrics->families = grown;
	family = calloc(1, sizeof(*family));
	if (!family)
		return NULL;
	snprintf(family->name, sizeof(family->name), "%s", name);
	family->help = help;
	family->kind = kind;
	family->unit = unit;
	family->scale = scale;
	return grown[metrics->count++] = family;
}

/* Finding series. */

static bool has_labels(const struct metric_series *series, const struct metric_label *labels, size_t count)
{
	if (series->label_count != count)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(series->labels[i].name, labels[i].name) || strcmp(series->labels[i].value, labels[i].value))
			return false;
	}
	return true;
}

static struct metric_series *find(const struct metric_family *family, const struct metric_label *labels, size_t count)
{
	for (size_t i = 0; i < family->series_count; i++) {
		if (has_labels(&family->series[i], labels, count))
			return &family->series[i];
	}
	return NULL;
}

static int name_label(const struct metric_label *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(labels[i].name, "name"))
			return (int)i;
	}
	return -1;
}

/* The same but for the name, and it has a name of its own. */
static bool is_rival(const struct metric_series *series, const struct metric_label *labels, size_t count, int name)
{
	if (series->label_count != count || !strcmp(series->labels[name].value, OTHER))
		return false;
	for (size_t i = 0; i < count; i++) {
		if ((int)i != name && strcmp(series->labels[i].value, labels[i].value))
			return false;
	}
	return true;
}

static struct metric_series *make(struct metric_family *family, const struct metric_label *labels, size_t count)
{
	struct metric_series *grown, *series;

	if (family->series_count >= MAX_SERIES)
		return NULL;
	grown = realloc(family->series, (family->series_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	family->series = grown;
	series = &grown[family->series_count];
	*series = (struct metric_series){};
	for (; series->label_count < count && series->label_count < METRICS_LABELS; series->label_count++) {
		char *value = strdup(labels[series->label_count].value);

		if (!value) {
			series_clear(series);
			return NULL;
		}
		series->labels[series->label_count] = (struct metric_label){ labels[series->label_count].name, value };
	}
	family->series_count++;
	return series;
}

static struct metric_series *find_or_make(struct metric_family *family, const struct metric_label *labels,
					  size_t count)
{
	struct metric_series *series = find(family, labels, count);

	return series ? series : make(family, labels, count);
}

/* Names compete: one that outweighs the lightest takes its place, and what that had counted goes to the others. */
static struct metric_series *lightest_rival(struct metric_family *family, const struct metric_label *labels,
					    size_t count, int name, size_t *rivals)
{
	struct metric_series *lightest = NULL;

	*rivals = 0;
	for (size_t i = 0; i < family->series_count; i++) {
		struct metric_series *series = &family->series[i];

		if (!is_rival(series, labels, count, name))
			continue;
		(*rivals)++;
		if (!lightest || series->weight < lightest->weight)
			lightest = series;
	}
	return lightest;
}

static int add_slots(struct metric_series *series, uint64_t count, uint64_t sum, const uint64_t *slots);

static void give_to(struct metric_series *from, struct metric_series *to)
{
	if (from->slots && to != from)
		add_slots(to, from->count, from->sum, from->slots);
	else if (to != from)
		to->value += from->value;
}

static struct metric_series *others(struct metric_family *family, const struct metric_label *labels, size_t count,
				    int name)
{
	struct metric_label changed[METRICS_LABELS];

	memcpy(changed, labels, count * sizeof(*labels));
	changed[name].value = OTHER;
	return find_or_make(family, changed, count);
}

static struct metric_series *admit(struct metrics *metrics, struct metric_family *family,
				   const struct metric_label *labels, size_t count, int name, uint64_t weight)
{
	struct metric_series *lightest, *other;
	size_t rivals, place;
	char *value;

	lightest = lightest_rival(family, labels, count, name, &rivals);
	if (rivals < metrics->names)
		return make(family, labels, count);
	if (!lightest)
		return others(family, labels, count, name);
	place = (size_t)(lightest - family->series);
	other = others(family, labels, count, name);
	lightest = &family->series[place];	/* what they are in may have moved */
	if (!other || weight < 2 * lightest->weight) {
		family->dropped += other != NULL;
		return other;
	}
	value = strdup(labels[name].value);
	if (!value)
		return other;
	give_to(lightest, other);
	free((char *)lightest->labels[name].value);
	lightest->labels[name].value = value;
	lightest->count = lightest->sum = lightest->weight = 0;
	lightest->value = 0;
	if (lightest->slots)
		memset(lightest->slots, 0, HIST_SLOTS * sizeof(*lightest->slots));
	family->dropped++;
	return lightest;
}

static struct metric_series *series_for(struct metrics *metrics, struct metric_family *family,
					const struct metric_label *labels, size_t count, uint64_t weight)
{
	struct metric_series *series;
	int name = name_label(labels, count);

	if (count > METRICS_LABELS)
		return NULL;
	series = find(family, labels, count);
	if (!series && name >= 0 && strcmp(labels[name].value, OTHER))
		series = admit(metrics, family, labels, count, name, weight);
	else if (!series)
		series = make(family, labels, count);
	if (series) {
		series->weight += weight;
		series->seen_ns = duration_now();
	}
	return series;
}

/* Adding. */

static int add_slots(struct metric_series *series, uint64_t count, uint64_t sum, const uint64_t *slots)
{
	if (!series->slots)
		series->slots = calloc(HIST_SLOTS, sizeof(*series->slots));
	if (!series->slots)
		return -ENOMEM;
	series->count += count;
	series->sum += sum;
	for (size_t i = 0; i < HIST_SLOTS; i++)
		series->slots[i] += slots[i];
	return 0;
}

int metrics_add_hist(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		     size_t label_count, uint64_t count, uint64_t sum, const uint64_t *slots)
{
	struct metric_series *series = series_for(metrics, family, labels, label_count, sum + count);

	return series ? add_slots(series, count, sum, slots) : -ENOMEM;
}

int metrics_add(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		size_t label_count, double value)
{
	struct metric_series *series = series_for(metrics, family, labels, label_count, value > 0 ? (uint64_t)value : 0);

	if (!series)
		return -ENOMEM;
	series->value += value;
	return 0;
}

int metrics_set(struct metric_family *family, const struct metric_label *labels, size_t label_count, double value)
{
	struct metric_series *series = find_or_make(family, labels, label_count);

	if (!series)
		return -ENOMEM;
	series->value = value;
	return 0;
}

void metrics_clear_gauges(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++) {
		struct metric_family *family = metrics->families[i];

		if (family->kind != METRIC_GAUGE)
			continue;
		for (size_t s = 0; s < family->series_count; s++)
			series_clear(&family->series[s]);
		family->series_count = 0;
	}
}

size_t metrics_count(const struct metrics *metrics)
{
	return metrics->count;
}

const struct metric_family *metrics_get(const struct metrics *metrics, size_t i)
{
	return metrics->families[i];
}
