/* SPDX-License-Identifier: BSD-2-Clause */
/* Internal to script_metrics: which keys have a series, and their labels. */
#ifndef ERLBPF_SERVE_SCRIPTS_SCRIPT_SERIES_H
#define ERLBPF_SERVE_SCRIPTS_SCRIPT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "base/hash.h"
#pragma GCC diagnostic pop

#include "d/lang/agg.h"
#include "dtrace/aggregations/aggregate.h"
#include "dtrace/print/print.h"
#include "serve/metrics/metrics.h"
#include "serve/scripts/script_metrics.h"

#define SCRIPT_MOST_KEYS 10 /* of one aggregation */

struct session;

/* A key that has a series. */
struct script_key {
	UT_hash_handle hh;
	uint64_t *words, *reported;		      /* at this and the last reading */
	bool is_seen;				      /* at this reading */
	struct metric_label node[SCRIPT_NODE_LABELS]; /* of its node, which may have ended; values are owned */
	size_t node_count;
	char key[];
};

/* One of the heaviest keys without a series. */
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
	struct script_key *shown;
	size_t shown_count;
	struct rival *rivals; /* a heap: no child is lighter than its parent */
	size_t rival_count;
	uint64_t *others, *offset, *reported;
	uint64_t dropped; /* keys without a series */
	bool had_others;
	unsigned int *slots; /* of a distribution: bucket of the family, by bucket */
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

static inline bool export_is_distribution(const struct exported *e)
{
	return agg_is_distribution(e->kind);
}

/* Only these are additive, so that nothing is lost when a key joins "other". */
static inline bool export_is_additive(const struct exported *e)
{
	return e->kind == AGG_COUNT || export_is_distribution(e);
}

/* script_series.c: places for the heaviest keys. 0 or -ENOMEM; what is made is freed in any case. */
int series_new(struct exported *e);
void series_free(struct exported *e);
void series_forget_node(struct script_key *shown);

/* A reading: begin, take each entry, forget the keys that are gone, give free places. */
void series_begin(struct exported *e);
int series_take(void *exported, const struct aggregate_entry *entry);
void series_forget_unseen(struct exported *e);
int series_give_places(struct exported *e, const struct unit_agg *agg);

/* After clear(), "other" has less than reported: it restarts, too. */
void series_settle_others(struct exported *e);

/* What is read of one aggregation. */
struct script_reading {
	struct exported *e;
	const struct aggregate *aggregate;
	const struct session *session;
	const struct script_host *host;
	struct print print;
};

/* script_labels.c */
extern const char *const script_key_names[SCRIPT_MOST_KEYS];

struct script_labels {
	char *key[SCRIPT_MOST_KEYS];
	struct metric_label labels[METRICS_LABELS];
	size_t count, keys;
};

void labels_add(struct script_labels *labels, const char *name, const char *value);

/* Of a key, and of the node that it names. labels_free() frees them. */
void labels_read(const struct script_reading *r, struct script_key *shown, struct script_labels *labels);
void labels_free(struct script_labels *labels);

#endif
