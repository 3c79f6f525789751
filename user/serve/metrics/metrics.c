// SPDX-License-Identifier: BSD-2-Clause
/*
 * Series are found by a hash of their labels. Those that differ in nothing but their name are a group, and rivals;
 * the weight of a group's lightest is remembered for the length of a reading, since most names that ask for a series
 * are lighter than that, and there may be thousands of them.
 */
#include "serve/metrics/metrics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wshadow" /* of uthash's macros, wherever they are used below */
#include "base/hash.h"

#include "base/array.h"
#include "base/duration.h"
#include "base/text.h"

#define OTHER "other"
#define HALF_LIFE_NS (300 * NS_PER_S) /* decay of the weight of a name without new values */
#define NEVER_HEAVIER 2		      /* a name replaces another one if it weighs this many times more */

/* Series that differ in their name only. */
struct group {
	UT_hash_handle hh;
	struct named **rivals;
	size_t count;
	uint64_t lightest; /* no rival weighs less */
	uint64_t reading;  /* of which that holds */
	size_t key_size;
	char key[];
};

/* A series, and how it is found. */
struct named {
	struct metric_series series; /* first */
	UT_hash_handle hh;
	struct group *group; /* NULL: it has no name, or is the others' */
	size_t place;	     /* in the family */
	size_t key_size;
	char *key;
};

struct metric_index {
	struct named *series;
	struct group *groups;
	size_t named; /* series that have rivals */
	uint64_t lightest, reading;
};

struct metrics {
	size_t names;
	struct metric_family **families;
	size_t count;
	uint64_t before_ns, now_ns, reading; /* times of the last reading and of this one */
};

struct key {
	char text[METRICS_LABELS * (METRICS_VALUE + METRICS_NAME)];
	size_t size;
};

struct metrics *metrics_new(size_t names)
{
	struct metrics *metrics = calloc(1, sizeof(*metrics));

	if (metrics) {
		metrics->names = names;
		metrics->reading = 1;
	}
	return metrics;
}

void metrics_begin(struct metrics *metrics, uint64_t now_ns)
{
	metrics->before_ns = metrics->now_ns;
	metrics->now_ns = now_ns;
	metrics->reading++;
	for (size_t i = 0; i < metrics->count; i++) {
		metrics->families[i]->dropped = 0;
		if (metrics->families[i]->is_read)
			metrics_clear(metrics->families[i]);
	}
}

static void series_free(struct named *named)
{
	for (size_t i = 0; i < named->series.label_count; i++)
		free((char *)named->series.labels[i].value);
	free(named->series.slots);
	free(named->key);
	free(named);
}

void metrics_clear(struct metric_family *family)
{
	struct group *group, *next;

	HASH_CLEAR(hh, family->index->series);
	for (size_t i = 0; i < family->series_count; i++)
		series_free((struct named *)family->series[i]);
	family->series_count = 0;
	family->index->named = 0;
	HASH_ITER(hh, family->index->groups, group, next) {
		HASH_DEL(family->index->groups, group);
		free(group->rivals);
		free(group);
	}
}

static void family_free(struct metric_family *family)
{
	metrics_clear(family);
	free(family->series);
	free(family->index);
	free(family->bounds);
	free(family->help);
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

struct metric_family *metrics_find(const struct metrics *metrics, const char *name)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if (!strcmp(metrics->families[i]->name, name))
			return metrics->families[i];
	}
	return NULL;
}

void metrics_remove(struct metrics *metrics, struct metric_family *family)
{
	size_t i = 0;

	while (i < metrics->count && metrics->families[i] != family)
		i++;
	if (i == metrics->count)
		return;
	memmove(&metrics->families[i], &metrics->families[i + 1], (--metrics->count - i) * sizeof(*metrics->families));
	family_free(family);
}

struct metric_family *metrics_family(struct metrics *metrics, const char *name, const char *help, enum metric_kind kind,
				     enum metric_unit unit, double scale)
{
	struct metric_family *family = metrics_find(metrics, name);

	if (family)
		return family;
	if (!array_has_room(metrics->families, metrics->count))
		return NULL;
	family = calloc(1, sizeof(*family));
	if (!family)
		return NULL;
	family->index = calloc(1, sizeof(*family->index));
	family->help = strdup(help);
	if (!family->index || !family->help) {
		family_free(family);
		return NULL;
	}
	snprintf(family->name, sizeof(family->name), "%s", name);
	family->kind = kind;
	family->unit = unit;
	family->scale = scale;
	metrics->families[metrics->count++] = family;
	return family;
}

double metrics_sum(const struct metric_family *family, uint64_t counted)
{
	return family->scale < 1 ? (double)counted / round(1 / family->scale) : (double)counted * family->scale;
}

/* Finding series. */

/*
 * Labels must be UTF-8 in every format and are shown on terminals and pages, so invalid bytes, control characters and
 * deceptive ones are replaced.
 */
static void key_add(struct key *key, const char *text, size_t most)
{
	size_t left = strnlen(text, most);
	char *at = key->text + key->size;

	memcpy(at, text, left);
	at[left] = '\0';
	key->size += left + 1;
	while (left) {
		unsigned int code;
		size_t length = text_utf8(at, left, &code), n = length ? length : 1;

		if (!length || text_is_unsafe(code))
			memset(at, '?', n);
		at += n;
		left -= n;
	}
}

/* Names and values of all labels but the one of number `but`. */
static void key_make(struct key *key, const struct metric_label *labels, size_t count, int but)
{
	key->size = 0;
	for (size_t i = 0; i < count; i++) {
		if ((int)i == but)
			continue;
		key_add(key, labels[i].name, METRICS_NAME - 1);
		key_add(key, labels[i].value, METRICS_VALUE - 1);
	}
}

static struct named *find(const struct metric_family *family, const struct key *key)
{
	struct named *found;

	HASH_FIND(hh, family->index->series, key->text, key->size, found);
	return found;
}

static int name_label(const struct metric_label *labels, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(labels[i].name, "name"))
			return strcmp(labels[i].value, OTHER) ? (int)i : -1;
	}
	return -1;
}

/* Making series. */

static int copy_labels(struct metric_series *series, const struct metric_label *labels, size_t count,
		       const struct key *key)
{
	const char *at = key->text;

	for (; series->label_count < count; series->label_count++) {
		const char *value = at + strlen(at) + 1;
		char *copy = strdup(value);

		if (!copy)
			return -ENOMEM;
		series->labels[series->label_count] = (struct metric_label){ labels[series->label_count].name, copy };
		at = value + strlen(value) + 1;
	}
	return 0;
}

static struct named *make(struct metric_family *family, const struct metric_label *labels, size_t count,
			  const struct key *key)
{
	struct named *named;

	if (family->series_count >= METRICS_MOST || !array_has_room(family->series, family->series_count))
		return NULL;
	named = calloc(1, sizeof(*named));
	if (!named)
		return NULL;
	named->key = malloc(key->size + 1);
	if (!named->key || copy_labels(&named->series, labels, count, key)) {
		series_free(named);
		return NULL;
	}
	memcpy(named->key, key->text, key->size);
	named->key_size = key->size;
	named->place = family->series_count;
	family->series[family->series_count++] = &named->series;
	HASH_ADD_KEYPTR(hh, family->index->series, named->key, named->key_size, named);
	return named;
}

static struct named *find_or_make(struct metric_family *family, const struct metric_label *labels, size_t count)
{
	struct named *named;
	struct key key;

	key_make(&key, labels, count, -1);
	named = find(family, &key);
	return named ? named : make(family, labels, count, &key);
}

/* Names competing for series. */

static struct group *group_of(struct metric_family *family, const struct metric_label *labels, size_t count, int name)
{
	struct group *group;
	struct key key;

	key_make(&key, labels, count, name);
	HASH_FIND(hh, family->index->groups, key.text, key.size, group);
	if (group)
		return group;
	group = calloc(1, sizeof(*group) + key.size);
	if (!group)
		return NULL;
	memcpy(group->key, key.text, key.size);
	group->key_size = key.size;
	HASH_ADD_KEYPTR(hh, family->index->groups, group->key, group->key_size, group);
	return group;
}

static uint64_t weight_now(const struct metrics *metrics, const struct metric_series *series)
{
	uint64_t halves = (metrics->now_ns - series->seen_ns) / HALF_LIFE_NS;

	return halves < 64 ? series->weight >> halves : 0;
}

static struct named *lightest_of(const struct metrics *metrics, struct named *const *all, size_t count)
{
	struct named *lightest = NULL;
	uint64_t least = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t weight = all[i]->group ? weight_now(metrics, &all[i]->series) : UINT64_MAX;

		if (!all[i]->group || (lightest && weight >= least))
			continue;
		lightest = all[i];
		least = weight;
	}
	return lightest;
}

/*
 * The lightest series that a name of this weight may replace. Weights grow during a reading, so the minimum never
 * falls.
 */
static struct named *outweighed(const struct metrics *metrics, struct named *const *all, size_t count, uint64_t weight,
				uint64_t *least, uint64_t *reading)
{
	struct named *lightest;

	if (*reading == metrics->reading && weight / NEVER_HEAVIER <= *least)
		return NULL;
	lightest = lightest_of(metrics, all, count);
	*least = lightest ? weight_now(metrics, &lightest->series) : 0;
	*reading = metrics->reading;
	return lightest && weight / NEVER_HEAVIER > *least ? lightest : NULL;
}

static int group_join(struct metric_family *family, struct group *group, struct named *named)
{
	if (!array_has_room(group->rivals, group->count))
		return -ENOMEM;
	group->rivals[group->count++] = named;
	named->group = group;
	family->index->named++;
	/* Who has just come may be the lightest. */
	group->reading = family->index->reading = 0;
	return 0;
}

/*
 * Its counts are dropped: added to "other", they would look like new events. Only growth of counters matters, and this
 * series ends.
 */
static void forget(struct metric_family *family, struct named *named)
{
	struct named *last = (struct named *)family->series[family->series_count - 1];
	struct group *group = named->group;

	for (size_t i = 0; group && i < group->count; i++) {
		if (group->rivals[i] == named)
			group->rivals[i--] = group->rivals[--group->count];
	}
	family->index->named -= group != NULL;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): uthash; it is in there */
	HASH_DEL(family->index->series, named);
	family->series[named->place] = &last->series;
	last->place = named->place;
	family->series_count--;
	series_free(named);
}

/* True if there is room for another series, possibly after removing one. */
static bool make_room(struct metrics *metrics, struct metric_family *family, struct group *group, uint64_t weight)
{
	struct metric_index *index = family->index;
	struct named *victim;

	if (group->count < metrics->names && index->named < METRICS_MOST_NAMED)
		return true;
	if (!metrics->names)
		return false;
	if (group->count >= metrics->names)
		victim = outweighed(metrics, group->rivals, group->count, weight, &group->lightest, &group->reading);
	else
		victim = outweighed(metrics, (struct named **)family->series, family->series_count, weight,
				    &index->lightest, &index->reading);
	if (victim)
		forget(family, victim);
	return victim;
}

static struct named *admit(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
			   size_t count, uint64_t weight, const struct key *key)
{
	int name = name_label(labels, count);
	struct group *group = group_of(family, labels, count, name);
	struct metric_label changed[METRICS_LABELS];
	struct named *named;

	if (group && make_room(metrics, family, group, weight)) {
		named = make(family, labels, count, key);
		if (named && !group_join(family, group, named))
			return named;
	}
	family->dropped++;
	memcpy(changed, labels, count * sizeof(*labels));
	changed[name].value = OTHER;
	return find_or_make(family, changed, count);
}

static void see(const struct metrics *metrics, const struct metric_family *family, struct metric_series *series)
{
	if (!series->seen_ns)
		series->since_ns = family->is_owned ? family->since_ns : metrics->before_ns;
	series->seen_ns = metrics->now_ns;
}

static struct metric_series *series_for(struct metrics *metrics, struct metric_family *family,
					const struct metric_label *labels, size_t count, uint64_t weight)
{
	struct named *named;
	struct key key;

	if (count > METRICS_LABELS)
		return NULL;
	key_make(&key, labels, count, -1);
	named = find(family, &key);
	if (!named)
		named = name_label(labels, count) >= 0 ? admit(metrics, family, labels, count, weight, &key)
						       : make(family, labels, count, &key);
	if (!named) {
		family->dropped++;
		return NULL;
	}
	named->series.weight = weight_now(metrics, &named->series) + weight;
	see(metrics, family, &named->series);
	return &named->series;
}

/* Adding. */

/* Slots from `first` to before `end` have room. */
static int widen(struct metric_series *series, uint32_t first, uint32_t end)
{
	uint64_t *wider;

	if (series->slots && series->first < first)
		first = series->first;
	if (series->slots && series->first + series->slot_count > end)
		end = series->first + series->slot_count;
	if (series->slots && end - first == series->slot_count)
		return 0;
	wider = calloc(end - first, sizeof(*wider));
	if (!wider)
		return -ENOMEM;
	if (series->slots)
		memcpy(wider + (series->first - first), series->slots, series->slot_count * sizeof(*wider));
	free(series->slots);
	series->slots = wider;
	series->first = first;
	series->slot_count = end - first;
	return 0;
}

static int add_slots(struct metric_series *series, const struct metric_hist *hist)
{
	const uint64_t *slots = hist->slots;
	uint32_t first = 0, end = HIST_SLOTS;

	while (first < HIST_SLOTS && !slots[first])
		first++;
	while (end > first && !slots[end - 1])
		end--;
	if (first == end)
		return 0;
	if (widen(series, first, end))
		return -ENOMEM;
	series->count += hist->count;
	series->sum += hist->sum;
	for (uint32_t i = first; i < end; i++)
		series->slots[i - series->first] += slots[i];
	return 0;
}

int metrics_add_hist(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		     size_t label_count, const struct metric_hist *hist)
{
	struct metric_series *series = series_for(metrics, family, labels, label_count, hist->sum + hist->count);

	return series ? add_slots(series, hist) : -ENOMEM;
}

int metrics_add(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		size_t label_count, double value)
{
	struct metric_series *series = series_for(metrics, family, labels, label_count,
						  value > 0 ? (uint64_t)value : 0);

	if (!series)
		return -ENOMEM;
	series->value += value;
	return 0;
}

int metrics_set(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		size_t label_count, double value)
{
	struct named *named = label_count <= METRICS_LABELS ? find_or_make(family, labels, label_count) : NULL;

	if (!named)
		return -ENOMEM;
	named->series.value = value;
	see(metrics, family, &named->series);
	return 0;
}

int metrics_raise(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
		  size_t label_count, double value)
{
	struct named *named = label_count <= METRICS_LABELS ? find_or_make(family, labels, label_count) : NULL;

	if (!named)
		return -ENOMEM;
	family->is_read = true;
	if (value > named->series.value)
		named->series.value = value;
	see(metrics, family, &named->series);
	return 0;
}

void metrics_tell(struct metrics *metrics, struct metric_family *family, const struct metric_label *label, double value)
{
	if (family)
		metrics_set(metrics, family, label, label ? 1 : 0, value);
}

int metrics_bounds(struct metric_family *family, const double *bounds, size_t count)
{
	family->bounds = malloc((count + 1) * sizeof(*bounds));
	if (!family->bounds)
		return -ENOMEM;
	memcpy(family->bounds, bounds, count * sizeof(*bounds));
	family->bound_count = count;
	return 0;
}

static void note_used(struct metric_family *family, size_t slot)
{
	bool is_first = !family->used_end;

	if (is_first || slot < family->first_used)
		family->first_used = slot;
	if (slot >= family->used_end)
		family->used_end = slot + 1;
}

int metrics_add_buckets(struct metrics *metrics, struct metric_family *family, const struct metric_label *labels,
			size_t label_count, const uint64_t *counts)
{
	size_t slots = family->bound_count + 1;
	struct named *named = label_count <= METRICS_LABELS ? find_or_make(family, labels, label_count) : NULL;
	struct metric_series *series = named ? &named->series : NULL;

	if (series && !series->slots)
		series->slots = calloc(slots, sizeof(*counts));
	if (!series || !series->slots)
		return -ENOMEM;
	series->slot_count = (uint32_t)slots;
	for (size_t i = 0; i < slots; i++) {
		series->slots[i] += counts[i];
		series->count += counts[i];
		if (counts[i])
			note_used(family, i);
	}
	see(metrics, family, series);
	return 0;
}

void metrics_clear_gauges(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if (metrics->families[i]->kind == METRIC_GAUGE && !metrics->families[i]->is_owned &&
		    !metrics->families[i]->is_read)
			metrics_clear(metrics->families[i]);
	}
}

static void family_expire(struct metric_family *family, uint64_t before_ns)
{
	struct group *next;

	for (size_t i = family->series_count; i-- > 0;) {
		if (family->series[i]->seen_ns < before_ns)
			forget(family, (struct named *)family->series[i]);
	}
	for (struct group *group = family->index->groups; group; group = next) {
		next = group->hh.next;
		if (group->count)
			continue;
		HASH_DEL(family->index->groups, group);
		free(group->rivals);
		free(group);
	}
}

void metrics_expire(struct metrics *metrics, uint64_t before_ns)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if (metrics->families[i]->kind != METRIC_GAUGE && !metrics->families[i]->is_owned)
			family_expire(metrics->families[i], before_ns);
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
