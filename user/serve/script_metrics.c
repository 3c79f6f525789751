// SPDX-License-Identifier: BSD-2-Clause
/*
 * Each reading takes the values as they are, all of them, so that clear() and trunc() do what they say: a counter
 * falls, a series goes. Only what is counted for "other" must not fall when a key gets a series of its own or loses it:
 * it is told with an offset, which keeps what the key has contributed so far where it was told.
 */
#include "serve/script_metrics.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wshadow" /* of uthash's macros, wherever they are used below */
#include <uthash.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "d/lang/symbol.h"
#include "dtrace/print/aggregate.h"
#include "dtrace/print/distribution.h"
#include "dtrace/print/print.h"
#include "dtrace/session/session.h"
#include "dtrace/print/values.h"

#define OTHER "other"
#define NEVER_HEAVIER 2 /* a key takes another's series if it weighs more than so many of it */
#define BREATHE_NS (10 * NS_PER_MS)
#define LOOK_EACH 64
#define MOST_KEYS 10	/* of one aggregation */
#define MOST_BOUNDS 256 /* of one histogram: of more buckets, so many together have a bound */

static const char *const key_names[MOST_KEYS] = {
	"key0", "key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8", "key9",
};

/* A key that has a series. */
struct shown {
	UT_hash_handle hh;
	uint64_t *words, *told;			      /* now, and at the reading before */
	bool is_seen;				      /* at this reading */
	struct metric_label node[SCRIPT_NODE_LABELS]; /* of its node, which may have ended; values are owned */
	size_t node_count;
	char key[];
};

/* A key that has none, of the heaviest of these. */
struct rival {
	uint64_t weight, *words;
	char *key;
};

struct exported {
	struct script_metrics *script;
	struct metric_family *family; /* NULL: none, `problem` says why */
	char metric[METRICS_NAME];
	char problem[160];
	enum agg_kind kind;
	size_t key_size, words;
	struct shown *shown;
	size_t shown_count;
	struct rival *rivals; /* a heap: no child is lighter than its parent */
	size_t rival_count;
	uint64_t *others, *offset, *told;
	uint64_t dropped; /* keys without a series */
	bool had_others;
	unsigned int *slots; /* of a distribution: by bucket, which of the family's it belongs to */
	uint64_t *counts;    /* of these */
};

struct script_metrics {
	struct metrics *metrics;
	char file[256];
	size_t series;
	struct exported *exported; /* in the order of the program */
	size_t count;
	const struct script_host *host; /* while values are read */
	unsigned int read;
	uint64_t breathed_ns;
};

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

void script_metrics_name(const char *file, char name[METRICS_NAME])
{
	snprintf(name, METRICS_NAME, "erlbpf_script_");
	add_name(name, file, strlen(file) - (ends_so(file, ".d") ? 2 : 0));
}

/* What would be taken for a part of a histogram or a counter is none. */
static void name_metric(struct exported *e, const char *file, const char *agg)
{
	static const char *const taken[] = { "_total", "_count", "_sum", "_bucket", "_created", "_info" };
	bool is_plain = e->kind != AGG_COUNT;

	script_metrics_name(file, e->metric);
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

static bool is_distribution(const struct exported *e)
{
	return agg_is_distribution(e->kind);
}

/* Only of these can be said what was added, and is not lost when a key joins the others. */
static bool is_additive(const struct exported *e)
{
	return e->kind == AGG_COUNT || is_distribution(e);
}

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
	enum metric_kind kind = e->kind == AGG_COUNT ? METRIC_COUNTER
				: is_distribution(e) ? METRIC_BUCKETS
						     : METRIC_GAUGE;
	char help[512];

	snprintf(help, sizeof(help), "%s, line %d: @%s = %s()", e->script->file, symbol->line,
		 strcmp(symbol->name, "_") ? symbol->name : "", aggregate_function(aggregate));
	e->family = metrics_family(e->script->metrics, e->metric, help, kind, UNIT_NONE, 1);
	if (!e->family)
		return -ENOMEM;
	e->family->is_owned = true;
	e->family->since_ns = duration_now();
	return is_distribution(e) ? read_bounds(e, aggregate) : 0;
}

static size_t count_keys(const struct unit_agg *agg)
{
	size_t count = 0;

	for (const struct field *key = agg->keys; key; key = key->next)
		count++;
	return count;
}

static int make_rivals(struct exported *e)
{
	e->rivals = calloc(e->script->series + 1, sizeof(*e->rivals));
	if (!e->rivals)
		return -ENOMEM;
	for (size_t i = 0; i < e->script->series; i++) {
		e->rivals[i].words = calloc(e->words, sizeof(uint64_t));
		e->rivals[i].key = malloc(e->key_size);
		if (!e->rivals[i].words || !e->rivals[i].key)
			return -ENOMEM;
	}
	return 0;
}

static int export(struct exported *e, const struct aggregate *aggregate)
{
	const struct unit_agg *agg = aggregate->agg;

	e->kind = aggregate->kind;
	e->words = agg->words;
	e->key_size = agg->key_size ? agg->key_size : sizeof(uint64_t);
	name_metric(e, e->script->file, agg->symbol->name);
	e->others = calloc(e->words, sizeof(*e->others));
	e->offset = calloc(e->words, sizeof(*e->offset));
	e->told = calloc(e->words, sizeof(*e->told));
	if (!e->others || !e->offset || !e->told || make_rivals(e))
		return -ENOMEM;
	if (count_keys(agg) > MOST_KEYS)
		snprintf(e->problem, sizeof(e->problem), "it has more than %d keys", MOST_KEYS);
	else if (metrics_find(e->script->metrics, e->metric))
		snprintf(e->problem, sizeof(e->problem), "there is another metric of that name");
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

static void forget_node(struct shown *shown)
{
	for (size_t i = 0; i < shown->node_count; i++)
		free((char *)(uintptr_t)shown->node[i].value);
	shown->node_count = 0;
}

static void forget(struct exported *e, struct shown *shown)
{
	forget_node(shown);
	HASH_DEL(e->shown, shown);
	e->shown_count--;
	free(shown->words);
	free(shown->told);
	free(shown);
}

static void exported_free(struct exported *e)
{
	struct shown *shown = NULL, *next;

	HASH_ITER(hh, e->shown, shown, next) {
		forget(e, shown);
	}
	for (size_t i = 0; e->rivals && i < e->script->series; i++) {
		free(e->rivals[i].words);
		free(e->rivals[i].key);
	}
	free(e->rivals);
	free(e->others);
	free(e->offset);
	free(e->told);
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

/* Who has a series. */

/* Counts and sums by their size; of others, how much went into them. */
static uint64_t weight_of(const struct exported *e, const uint64_t *words)
{
	int64_t sum = (int64_t)words[1 % e->words];

	if (e->kind != AGG_SUM)
		return words[0];
	return sum < 0 ? -(uint64_t)sum : (uint64_t)sum;
}

static void swap(struct rival *a, struct rival *b)
{
	struct rival kept = *a;

	*a = *b;
	*b = kept;
}

static void sift_up(struct exported *e, size_t i)
{
	for (; i && e->rivals[i].weight < e->rivals[(i - 1) / 2].weight; i = (i - 1) / 2)
		swap(&e->rivals[i], &e->rivals[(i - 1) / 2]);
}

static void sift_down(struct exported *e, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < e->rival_count; child++) {
			if (e->rivals[child].weight < e->rivals[least].weight)
				least = child;
		}
		if (least == i)
			return;
		swap(&e->rivals[i], &e->rivals[least]);
		i = least;
	}
}

static void join_others(struct exported *e, const struct unit_agg *agg, const uint64_t *words)
{
	values_add(agg, e->others, words);
	e->dropped++;
}

static void set_rival(struct exported *e, struct rival *rival, uint64_t weight, const struct aggregate_entry *entry)
{
	rival->weight = weight;
	memcpy(rival->words, entry->words, e->words * sizeof(*rival->words));
	memcpy(rival->key, entry->key, e->key_size);
}

static void compete(struct exported *e, const struct aggregate_entry *entry)
{
	uint64_t weight = weight_of(e, entry->words);

	if (e->rival_count < e->script->series) {
		set_rival(e, &e->rivals[e->rival_count], weight, entry);
		sift_up(e, e->rival_count++);
	} else if (e->rival_count && weight > e->rivals[0].weight) {
		join_others(e, entry->of->agg, e->rivals[0].words);
		set_rival(e, &e->rivals[0], weight, entry);
		sift_down(e, 0);
	} else {
		join_others(e, entry->of->agg, entry->words);
	}
}

/* A look at the clock costs as much as a key. */
static void breathe(struct script_metrics *script)
{
	if (++script->read % LOOK_EACH || duration_now() - script->breathed_ns < BREATHE_NS)
		return;
	script->host->breathe(script->host->data);
	script->breathed_ns = duration_now();
}

static int take_entry(void *to, const struct aggregate_entry *entry)
{
	struct exported *e = to;
	struct shown *shown;

	breathe(e->script);

	HASH_FIND(hh, e->shown, entry->key, e->key_size, shown);
	if (!shown) {
		compete(e, entry);
		return 0;
	}
	memcpy(shown->words, entry->words, e->words * sizeof(*shown->words));
	shown->is_seen = true;
	return 0;
}

static int by_weight(const void *a, const void *b)
{
	const struct rival *rival_a = a, *rival_b = b;

	return (rival_a->weight < rival_b->weight) - (rival_a->weight > rival_b->weight);
}

static struct shown *lightest_of(const struct exported *e)
{
	struct shown *lightest = NULL;

	for (struct shown *shown = e->shown; shown; shown = shown->hh.next) {
		if (!lightest || weight_of(e, shown->words) < weight_of(e, lightest->words))
			lightest = shown;
	}
	return lightest;
}

static int show(struct exported *e, const struct rival *rival)
{
	size_t size = e->words * sizeof(uint64_t);
	struct shown *shown = calloc(1, sizeof(*shown) + e->key_size);

	if (!shown)
		return -ENOMEM;
	shown->words = malloc(size);
	shown->told = malloc(size);
	if (!shown->words || !shown->told) {
		free(shown->words);
		free(shown->told);
		free(shown);
		return -ENOMEM;
	}
	memcpy(shown->words, rival->words, size);
	memcpy(shown->told, rival->words, size);
	memcpy(shown->key, rival->key, e->key_size);
	shown->is_seen = true;
	HASH_ADD_KEYPTR(hh, e->shown, shown->key, e->key_size, shown);
	e->shown_count++;
	/* What it has counted among the others stays there. */
	for (size_t i = 0; e->had_others && i < e->words; i++)
		e->offset[i] += rival->words[i];
	return 0;
}

/* It is one of the others now, who have not counted what was told of it. */
static void hide(struct exported *e, const struct unit_agg *agg, struct shown *shown)
{
	for (size_t i = 0; i < e->words; i++)
		e->offset[i] -= shown->told[i];
	join_others(e, agg, shown->words);
	forget(e, shown);
}

static void forget_unseen(struct exported *e)
{
	struct shown *shown = NULL, *next;

	HASH_ITER(hh, e->shown, shown, next) {
		if (!shown->is_seen)
			forget(e, shown);
	}
}

/* Free places go to the heaviest; who is much heavier than somebody who has one takes it. */
static int give_places(struct exported *e, const struct unit_agg *agg)
{
	struct shown *lightest = NULL;
	size_t i = 0;
	int err = 0;

	if (e->rival_count)
		qsort(e->rivals, e->rival_count, sizeof(*e->rivals), by_weight);
	for (; !err && i < e->rival_count && e->shown_count < e->script->series; i++)
		err = show(e, &e->rivals[i]);
	for (; !err && i < e->rival_count; i++) {
		lightest = lightest_of(e);
		if (e->rivals[i].weight / NEVER_HEAVIER <= weight_of(e, lightest->words))
			break;
		hide(e, agg, lightest);
		err = show(e, &e->rivals[i]);
	}
	for (; i < e->rival_count; i++)
		join_others(e, agg, e->rivals[i].words);
	return err;
}

/* After clear() the others have less than was told: then they begin again, too. */
static void settle_others(struct exported *e)
{
	bool has_fallen = false;

	if (!is_additive(e))
		return;
	for (size_t i = 0; i < e->words; i++)
		has_fallen |= (int64_t)(e->others[i] + e->offset[i] - e->told[i]) < 0;
	for (size_t i = 0; i < e->words; i++) {
		if (has_fallen)
			e->offset[i] = 0;
		e->others[i] += e->offset[i];
		e->told[i] = e->others[i];
	}
}

/* Labels. */

struct texts {
	char *key[MOST_KEYS];
	struct metric_label labels[METRICS_LABELS];
	size_t count, keys;
};

static void texts_free(struct texts *texts)
{
	for (size_t i = 0; i < texts->keys; i++)
		free(texts->key[i]);
}

/* As it was called from: innermost first. */
static char *stack_text(const struct print *print, const struct value *value)
{
	struct field field = { .kind = FIELD_SYMBOL, .symbol = value->os_pid ? SYMBOL_UADDR : SYMBOL_KADDR };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (size_t i = 0; to && i + sizeof(uint64_t) <= value->size; i += sizeof(uint64_t)) {
		struct value frame = { .field = &field, .os_pid = value->os_pid };
		_cleanup_free_ char *name = NULL;

		memcpy(&frame.number, value->data + i, sizeof(frame.number));
		if (!frame.number)
			break;
		name = value_text(print, &frame);
		fprintf(to, "%s%s", i ? ";" : "", name ? name : "?");
	}
	if (to && fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static char *number_text(const struct value *value)
{
	char *text;
	int size = value_is_signed(value) ? asprintf(&text, "%" PRId64, (int64_t)value->number)
					  : asprintf(&text, "%" PRIu64, value_unsigned(value));

	return size < 0 ? NULL : text;
}

static char *bytes_text(const struct value *value)
{
	char *text = malloc(2 * value->size + 1);

	for (size_t i = 0; text && i < value->size; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned char)value->data[i]);
	if (text)
		text[2 * value->size] = '\0';
	return text;
}

/* A label holds less than a stack of many frames may have: what is cut off still tells one from another. */
static char *shorten(char *text)
{
	uint32_t hash = 2166136261u;
	char mark[16];
	size_t keep;

	if (!text || strlen(text) < METRICS_VALUE)
		return text;
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619u;
	keep = METRICS_VALUE - 1 - (size_t)snprintf(mark, sizeof(mark), "...%08x", hash);
	strcpy(text + keep, mark);
	return text;
}

static char *key_text(const struct print *print, const struct value *value)
{
	switch (value->field->kind) {
	case FIELD_INT: return number_text(value);
	case FIELD_STACK: return shorten(stack_text(print, value));
	case FIELD_BYTES:
		if (!value_is_chars(value))
			return shorten(bytes_text(value));
		break;
	case FIELD_STRING:
	case FIELD_SYMBOL:
	case FIELD_TERM: break;
	}
	return shorten(value_text(print, value));
}

static void add_label(struct texts *texts, const char *name, const char *value)
{
	texts->labels[texts->count++] = (struct metric_label){ name, value };
}

/* The built-in variable pid, as it is. */
static bool is_pid(const struct field *field)
{
	const struct node *node = field->node;

	return field->kind == FIELD_INT && node && node->kind == NODE_IDENT && node->symbol &&
	       node->symbol->kind == SYMBOL_BUILTIN && node->symbol->builtin == BUILTIN_PID;
}

/* What is read of one aggregation. */
struct reading {
	struct exported *e;
	const struct aggregate *aggregate;
	const struct session *session;
	const struct script_host *host;
	struct print print;
};

/* What is known of the node; if it is gone, what was. */
static void learn_node(const struct reading *r, struct shown *shown, pid_t pid)
{
	struct metric_label labels[SCRIPT_NODE_LABELS];
	const struct target *target = session_target(r->session, pid);
	size_t count;

	if (!target)
		target = r->host->find(r->host->data, pid);
	if (!target)
		return;
	count = r->host->labels(r->host->data, target, labels);
	forget_node(shown);
	for (; shown->node_count < count; shown->node_count++) {
		char *value = strdup(labels[shown->node_count].value);

		if (!value)
			return;
		shown->node[shown->node_count] = (struct metric_label){ labels[shown->node_count].name, value };
	}
}

static void add_node(const struct reading *r, struct shown *shown, struct texts *texts, pid_t pid)
{
	learn_node(r, shown, pid);
	for (size_t i = 0; i < shown->node_count; i++)
		add_label(texts, shown->node[i].name, shown->node[i].value);
}

static void read_labels(const struct reading *r, struct shown *shown, struct texts *texts)
{
	struct bytes bytes = { shown->key, r->aggregate->agg->key_size, true };
	bool has_node = false;
	struct value value;

	*texts = (struct texts){ .count = 0 };
	add_label(texts, "script", r->e->script->file);
	for (const struct field *field = r->aggregate->agg->keys; field; field = field->next) {
		value_read(&value, &r->print, &bytes, field);
		texts->key[texts->keys] = key_text(&r->print, &value);
		if (is_pid(field) && !has_node) {
			add_node(r, shown, texts, (pid_t)value.number);
			has_node = true;
		}
		add_label(texts, key_names[texts->keys], texts->key[texts->keys] ? texts->key[texts->keys] : "?");
		texts->keys++;
	}
}

/* Series. */

static void tell_distribution(const struct reading *r, const struct texts *texts, const uint64_t *words)
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
		metrics_add_buckets(e->script->metrics, e->family, texts->labels, texts->count, e->counts);
	}
	distribution_free(&distribution);
}

/* Keys may be different and have the same text. */
static void tell_entry(const struct reading *r, const struct texts *texts, const uint64_t *words)
{
	struct aggregate_entry entry = { .of = r->aggregate, .words = words };
	struct exported *e = r->e;
	double number;

	if (is_distribution(e)) {
		tell_distribution(r, texts, words);
		return;
	}
	number = (double)aggregate_number(&entry);
	if (e->kind == AGG_COUNT || e->kind == AGG_SUM)
		metrics_add(e->script->metrics, e->family, texts->labels, texts->count, number);
	else
		metrics_set(e->script->metrics, e->family, texts->labels, texts->count, number);
}

static void tell_shown(const struct reading *r, struct shown *shown)
{
	struct texts texts;

	read_labels(r, shown, &texts);
	tell_entry(r, &texts, shown->words);
	memcpy(shown->told, shown->words, r->e->words * sizeof(*shown->told));
	texts_free(&texts);
}

static void tell_others(const struct reading *r)
{
	struct texts texts = { .count = 0 };
	struct exported *e = r->e;
	size_t keys = count_keys(r->aggregate->agg);

	settle_others(e);
	e->had_others |= e->dropped > 0;
	if (!e->dropped && !(e->had_others && is_additive(e)))
		return;
	add_label(&texts, "script", e->script->file);
	for (size_t i = 0; i < keys; i++)
		add_label(&texts, key_names[i], OTHER);
	tell_entry(r, &texts, e->others);
}

static void read_one(const struct reading *r)
{
	struct exported *e = r->e;
	struct shown *shown;

	for (shown = e->shown; shown; shown = shown->hh.next)
		shown->is_seen = false;
	e->rival_count = 0;
	e->dropped = 0;
	memset(e->others, 0, e->words * sizeof(*e->others));
	if (aggregate_each(r->aggregate, &r->print, take_entry, e))
		return;
	forget_unseen(e);
	if (give_places(e, r->aggregate->agg))
		return;
	metrics_clear(e->family);
	for (shown = e->shown; shown; shown = shown->hh.next)
		tell_shown(r, shown);
	tell_others(r);
}

void script_metrics_read(struct script_metrics *script, const struct session *session, const struct script_host *host)
{
	const struct aggregates *aggregates = session_aggregates(session);

	script->host = host;
	script->breathed_ns = duration_now();
	for (size_t i = 0; i < script->count; i++) {
		struct reading reading = {
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

/* What is told of them. */

struct json_object *script_metrics_json(const struct script_metrics *script)
{
	json_object *list = json_object_new_array();

	for (size_t i = 0; i < script->count; i++) {
		const struct exported *e = &script->exported[i];
		json_object *one = json_object_new_object();

		json_object_object_add(one, "metric", json_object_new_string(e->metric));
		if (e->family)
			json_object_object_add(one, "dropped", json_object_new_uint64(e->dropped));
		else
			json_object_object_add(one, "problem", json_object_new_string(e->problem));
		json_object_array_add(list, one);
	}
	return list;
}

void script_metrics_tell(const struct script_metrics *script, struct metric_family *dropped)
{
	for (size_t i = 0; i < script->count; i++) {
		const struct exported *e = &script->exported[i];
		struct metric_label labels[] = { { "script", script->file }, { "metric", e->metric } };

		if (e->family)
			metrics_set(script->metrics, dropped, labels, 2, (double)e->dropped);
	}
}
