// SPDX-License-Identifier: BSD-2-Clause
/*
 * Similarity is a weighted Jaccard index: the weight of what both functions have, divided by the weight of what at
 * least one has. Rare features and neighbours weigh more. Each round compares the neighbours of a pair in one graph
 * with its neighbours in the other. Two functions become a pair if each is the other's best candidate by a margin. The
 * threshold falls from round to round, so that clear pairs help to decide the others.
 */
#include "match/pairing.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define MAX_NEIGHBOURS 48 /* of a pair; a function with more says nothing about each */
#define MAX_ROUNDS 40
#define MAX_CANDIDATES (1u << 20) /* per round */
#define LEAST_SEED 0.5f
#define SIZE_SHARE 0.15f

/* A possible pair and its similarity. */
struct candidate {
	uint32_t known, other;
	float similarity;
};

struct matcher {
	const struct graph *known, *other;
	struct effort *effort;
	struct pairing *pairing;
	uint32_t *features; /* of both graphs, sorted */
	float *weights;	    /* of each feature */
	size_t feature_count;
	uint32_t *known_features, *other_features; /* indexes into `features`, in the order of each graph */
	float *as_called, *as_caller;		   /* weight of each function of `known` as a neighbour */
	struct candidate *candidates;
	size_t candidate_count, candidate_room;
	float *best_known, *best_other; /* similarity of each function's best candidate */
	float *next_known, *next_other; /* and second best */
};

/* Weights. */

static int compare_words(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static size_t copy_features(const struct graph *graph, uint32_t *to)
{
	const struct relation *r = &graph->relations[HAS_FEATURES];
	size_t count = r->first[graph->count];

	memcpy(to, r->items, count * sizeof(*to));
	return count;
}

/* Numbers and structure offsets weigh less than texts, because compilers encode them in different ways. */
static float weight_of(uint32_t feature, size_t functions, size_t holders)
{
	static const float by_kind[] = {
		[FEATURE_TEXT] = 1, [FEATURE_IMPORT] = 1, [FEATURE_CONSTANT] = 0.6f, [FEATURE_PLACE] = 0.35f
	};

	return by_kind[feature & 3] * logf(1 + (float)functions / (float)holders);
}

/* A feature's weight depends on how many functions of both builds have it. */
static int weigh(struct matcher *m)
{
	size_t count = m->known->relations[HAS_FEATURES].first[m->known->count] +
		       m->other->relations[HAS_FEATURES].first[m->other->count],
	       at;

	m->features = calloc(count + 1, sizeof(*m->features));
	m->weights = calloc(count + 1, sizeof(*m->weights));
	if (!m->features || !m->weights)
		return -ENOMEM;
	at = copy_features(m->known, m->features);
	copy_features(m->other, m->features + at);
	if (count)
		qsort(m->features, count, sizeof(*m->features), compare_words);
	for (size_t i = 0; i < count;) {
		uint32_t feature = m->features[i];
		size_t end = i;

		while (end < count && m->features[end] == feature)
			end++;
		m->features[m->feature_count] = feature;
		m->weights[m->feature_count++] = weight_of(feature, m->known->count, (end - i + 1) / 2);
		i = end;
	}
	return 0;
}

/* A graph's features as indexes, in the same order. NULL: out of memory. */
static uint32_t *number_features(const struct matcher *m, const struct graph *graph)
{
	const struct relation *r = &graph->relations[HAS_FEATURES];
	size_t count = r->first[graph->count];
	uint32_t *numbers = calloc(count + 1, sizeof(*numbers));

	for (size_t i = 0; numbers && i < count; i++) {
		const uint32_t *found = bsearch(&r->items[i], m->features, m->feature_count, sizeof(*found),
						compare_words);

		numbers[i] = (uint32_t)(found - m->features);
	}
	return numbers;
}

/* Similarity. */

struct overlap {
	float both, all;
};

static void overlap_features(const struct matcher *m, uint32_t known, uint32_t other, struct overlap *o)
{
	const struct relation *a = &m->known->relations[HAS_FEATURES], *b = &m->other->relations[HAS_FEATURES];
	uint32_t i = a->first[known], k = b->first[other];

	while (i < a->first[known + 1] || k < b->first[other + 1]) {
		bool has_a = i < a->first[known + 1], has_b = k < b->first[other + 1];
		uint32_t x = has_a ? m->known_features[i] : UINT32_MAX, y = has_b ? m->other_features[k] : UINT32_MAX;
		float w = m->weights[x < y ? x : y];

		o->all += w;
		o->both += has_a && has_b && x == y ? w : 0;
		i += has_a && x <= y;
		k += has_b && y <= x;
	}
}

/* A function with many neighbours says little about each of them. NULL: out of memory. */
static float *weigh_neighbours(const struct graph *graph, enum graph_relation reverse)
{
	float *weights = calloc(graph->count + 1, sizeof(*weights));

	for (uint32_t i = 0; weights && i < graph->count; i++) {
		uint32_t degree = relation_size(&graph->relations[reverse], i);

		weights[i] = 0.6f * logf(1 + (float)graph->count / (float)(degree + 1));
	}
	return weights;
}

/*
 * Compares the neighbours that have a partner. A neighbour is common if its partner is a neighbour of the other
 * function.
 */
static void overlap_neighbours(const struct matcher *m, enum graph_relation which, uint32_t known, uint32_t other,
			       struct overlap *o)
{
	const struct relation *a = &m->known->relations[which], *b = &m->other->relations[which];
	const float *weights = which == CALLED_BY ? m->as_caller : m->as_called;

	for (uint32_t i = a->first[known]; i < a->first[known + 1]; i++) {
		uint32_t partner = m->pairing->partner[a->items[i]];
		float w;

		if (partner == PAIRING_NONE)
			continue;
		w = weights[a->items[i]];
		o->all += w;
		if (bsearch(&partner, b->items + b->first[other], relation_size(b, other), sizeof(partner),
			    compare_words))
			o->both += w;
	}
	for (uint32_t k = b->first[other]; k < b->first[other + 1]; k++) {
		uint32_t partner = m->pairing->reverse[b->items[k]];

		if (partner != PAIRING_NONE && !bsearch(&partner, a->items + a->first[known], relation_size(a, known),
							sizeof(partner), compare_words))
			o->all += weights[partner];
	}
}

/* The work of comparing two functions. */
static uint64_t steps_of(const struct matcher *m, uint32_t known, uint32_t other)
{
	static const enum graph_relation neighbours[] = { CALLS, TAKES, CALLED_BY };
	const struct relation *a = m->known->relations, *b = m->other->relations;
	uint64_t steps = EFFORT_CANDIDATE;

	steps += EFFORT_COMMON *
		 ((uint64_t)relation_size(&a[HAS_FEATURES], known) + relation_size(&b[HAS_FEATURES], other));
	for (size_t i = 0; i < sizeof(neighbours) / sizeof(*neighbours); i++)
		steps += EFFORT_NEIGHBOUR *
			 ((uint64_t)relation_size(&a[neighbours[i]], known) + relation_size(&b[neighbours[i]], other));
	return steps;
}

/* 0 if no effort is left; the caller checks that. */
static float similarity(const struct matcher *m, uint32_t known, uint32_t other)
{
	float small = (float)m->known->instructions[known] + 4, large = (float)m->other->instructions[other] + 4;
	struct overlap o = {};

	if (!effort_take(m->effort, steps_of(m, known, other)))
		return 0;
	overlap_features(m, known, other, &o);
	overlap_neighbours(m, CALLS, known, other, &o);
	overlap_neighbours(m, TAKES, known, other, &o);
	overlap_neighbours(m, CALLED_BY, known, other, &o);
	return (1 - SIZE_SHARE) * (o.all > 0 ? o.both / o.all : 0) +
	       SIZE_SHARE * (small < large ? small / large : large / small);
}

/* Pairs. */

static bool is_free(const struct matcher *m, uint32_t known, uint32_t other)
{
	return m->pairing->partner[known] == PAIRING_NONE && m->pairing->reverse[other] == PAIRING_NONE;
}

static void join(struct matcher *m, uint32_t known, uint32_t other, float how_alike, bool is_anchor)
{
	m->pairing->partner[known] = other;
	m->pairing->reverse[other] = known;
	m->pairing->similarity[known] = how_alike;
	m->pairing->is_anchor[known] = is_anchor;
}

static void join_anchors(struct matcher *m)
{
	const struct graph *a = m->known, *b = m->other;

	for (size_t i = 0, k = 0; i < a->anchor_count && k < b->anchor_count;) {
		if (a->anchors[i].key != b->anchors[k].key) {
			if (a->anchors[i].key < b->anchors[k].key)
				i++;
			else
				k++;
			continue;
		}
		if (is_free(m, a->anchors[i].function, b->anchors[k].function))
			join(m, a->anchors[i].function, b->anchors[k].function, 1, true);
		i++;
		k++;
	}
}

/* The only function that has a feature, by index of the feature; PAIRING_NONE: none or several. */
static uint32_t *sole_holders(const struct matcher *m, const struct graph *graph, const uint32_t *numbers)
{
	const struct relation *r = &graph->relations[HAS_FEATURES];
	uint32_t *holders = calloc(m->feature_count + 1, sizeof(*holders));
	unsigned char *counts = calloc(m->feature_count + 1, 1);

	for (uint32_t i = 0; holders && counts && i < graph->count; i++) {
		for (uint32_t k = r->first[i]; k < r->first[i + 1]; k++) {
			holders[numbers[k]] = i;
			counts[numbers[k]] += counts[numbers[k]] < 2;
		}
	}
	for (size_t i = 0; holders && counts && i < m->feature_count; i++)
		holders[i] = counts[i] == 1 ? holders[i] : PAIRING_NONE;
	if (!counts) {
		free(holders);
		holders = NULL;
	}
	free(counts);
	return holders;
}

/* Pairs functions by a text that no other function has. */
static int join_seeds(struct matcher *m)
{
	uint32_t *known = sole_holders(m, m->known, m->known_features);
	uint32_t *other = sole_holders(m, m->other, m->other_features);
	int err = known && other ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < m->feature_count; i++) {
		float how_alike;

		if ((m->features[i] & 3) != FEATURE_TEXT || known[i] == PAIRING_NONE || other[i] == PAIRING_NONE ||
		    !is_free(m, known[i], other[i]))
			continue;
		how_alike = similarity(m, known[i], other[i]);
		if (how_alike > LEAST_SEED)
			join(m, known[i], other[i], how_alike, false);
	}
	free(known);
	free(other);
	return err;
}

/* Rounds. */

static int propose(struct matcher *m, enum graph_relation which, uint32_t known, uint32_t other)
{
	const struct relation *a = &m->known->relations[which], *b = &m->other->relations[which];

	if (relation_size(a, known) > MAX_NEIGHBOURS || relation_size(b, other) > MAX_NEIGHBOURS)
		return 0;
	for (uint32_t i = a->first[known]; i < a->first[known + 1]; i++) {
		if (m->pairing->partner[a->items[i]] != PAIRING_NONE)
			continue;
		for (uint32_t k = b->first[other]; k < b->first[other + 1]; k++) {
			if (m->pairing->reverse[b->items[k]] != PAIRING_NONE)
				continue;
			if (m->candidate_count == MAX_CANDIDATES || !effort_take(m->effort, EFFORT_CANDIDATE))
				return -ENOEXEC;
			if (!array_has_room_for(m->candidates, m->candidate_room, m->candidate_count + 1))
				return -ENOMEM;
			m->candidates[m->candidate_count++] = (struct candidate){ .known = a->items[i],
										  .other = b->items[k] };
		}
	}
	return 0;
}

static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->known != y->known)
		return x->known < y->known ? -1 : 1;
	return x->other < y->other ? -1 : x->other > y->other;
}

static void drop_doubles(struct matcher *m)
{
	size_t kept = 0;

	if (m->candidate_count)
		qsort(m->candidates, m->candidate_count, sizeof(*m->candidates), compare_candidates);
	for (size_t i = 0; i < m->candidate_count; i++) {
		if (!kept || compare_candidates(&m->candidates[i], &m->candidates[kept - 1]))
			m->candidates[kept++] = m->candidates[i];
	}
	m->candidate_count = kept;
}

static int propose_all(struct matcher *m)
{
	static const enum graph_relation ways[] = { CALLS, TAKES, CALLED_BY };
	int err = 0;

	m->candidate_count = 0;
	for (uint32_t i = 0; !err && i < m->known->count; i++) {
		if (m->pairing->partner[i] == PAIRING_NONE)
			continue;
		for (size_t way = 0; !err && way < sizeof(ways) / sizeof(*ways); way++)
			err = propose(m, ways[way], i, m->pairing->partner[i]);
	}
	drop_doubles(m);
	return err;
}

static void note_best(float how_alike, float *best, float *next)
{
	if (how_alike > *best) {
		*next = *best;
		*best = how_alike;
	} else if (how_alike > *next) {
		*next = how_alike;
	}
}

static void compare_all(struct matcher *m)
{
	memset(m->best_known, 0, m->known->count * sizeof(*m->best_known));
	memset(m->next_known, 0, m->known->count * sizeof(*m->next_known));
	memset(m->best_other, 0, m->other->count * sizeof(*m->best_other));
	memset(m->next_other, 0, m->other->count * sizeof(*m->next_other));
	for (size_t i = 0; i < m->candidate_count; i++) {
		struct candidate *c = &m->candidates[i];

		c->similarity = similarity(m, c->known, c->other);
		note_best(c->similarity, &m->best_known[c->known], &m->next_known[c->known]);
		note_best(c->similarity, &m->best_other[c->other], &m->next_other[c->other]);
	}
}

static size_t join_best(struct matcher *m, float threshold, float margin)
{
	size_t joined = 0;

	for (size_t i = 0; i < m->candidate_count; i++) {
		const struct candidate *c = &m->candidates[i];

		if (c->similarity < threshold || c->similarity - m->next_known[c->known] < margin ||
		    c->similarity - m->next_other[c->other] < margin || !is_free(m, c->known, c->other))
			continue;
		join(m, c->known, c->other, c->similarity, false);
		joined++;
	}
	return joined;
}

static int join_neighbours(struct matcher *m)
{
	static const float thresholds[] = { 0.75f, 0.75f, 0.75f, 0.6f, 0.6f, 0.6f, 0.45f, 0.45f, 0.45f, 0.33f };
	size_t last = sizeof(thresholds) / sizeof(*thresholds) - 1;

	for (size_t step = 0, round = 0; round < MAX_ROUNDS; round++) {
		size_t joined;
		int err = propose_all(m);

		if (err)
			return err;
		compare_all(m);
		if (!m->effort->left)
			return -ENOEXEC;
		joined = join_best(m, thresholds[step], step == last ? 0.12f : 0.08f);
		if (!joined && step == last)
			break;
		step += step < last && (!joined || round >= 3) ? 1 : 0;
	}
	return 0;
}

/* Anchors became pairs without a comparison. */
static void compare_anchors(struct matcher *m)
{
	size_t count = 0;
	float sum = 0;

	for (uint32_t i = 0; i < m->known->count; i++) {
		if (!m->pairing->is_anchor[i])
			continue;
		m->pairing->similarity[i] = similarity(m, i, m->pairing->partner[i]);
		sum += m->pairing->similarity[i];
		count++;
	}
	m->pairing->build_similarity = count ? sum / (float)count : 0;
}

static int match_all(struct matcher *m)
{
	uint64_t features = (uint64_t)m->known->relations[HAS_FEATURES].first[m->known->count] +
			    m->other->relations[HAS_FEATURES].first[m->other->count];
	int err = effort_take(m->effort, features * EFFORT_FEATURE) ? weigh(m) : -ENOEXEC;

	if (err)
		return err;
	m->known_features = number_features(m, m->known);
	m->other_features = number_features(m, m->other);
	m->as_called = weigh_neighbours(m->known, CALLED_BY);
	m->as_caller = weigh_neighbours(m->known, CALLS);
	if (!m->known_features || !m->other_features || !m->as_called || !m->as_caller)
		return -ENOMEM;
	join_anchors(m);
	err = join_seeds(m);
	if (!err)
		err = join_neighbours(m);
	compare_anchors(m);
	return err || m->effort->left ? err : -ENOEXEC;
}

static uint32_t *no_partners(size_t count)
{
	uint32_t *partners = calloc(count + 1, sizeof(*partners));

	for (size_t i = 0; partners && i < count; i++)
		partners[i] = PAIRING_NONE;
	return partners;
}

int pairing_make(const struct graph *known, const struct graph *other, struct effort *effort, struct pairing *pairing)
{
	struct matcher m = { .known = known, .other = other, .effort = effort, .pairing = pairing };
	int err = -ENOMEM;

	pairing->partner = no_partners(known->count);
	pairing->reverse = no_partners(other->count);
	pairing->similarity = calloc(known->count + 1, sizeof(*pairing->similarity));
	pairing->is_anchor = calloc(known->count + 1, sizeof(*pairing->is_anchor));
	m.best_known = calloc(known->count + 1, sizeof(*m.best_known));
	m.next_known = calloc(known->count + 1, sizeof(*m.next_known));
	m.best_other = calloc(other->count + 1, sizeof(*m.best_other));
	m.next_other = calloc(other->count + 1, sizeof(*m.next_other));
	if (pairing->partner && pairing->reverse && pairing->similarity && pairing->is_anchor && m.best_known &&
	    m.next_known && m.best_other && m.next_other)
		err = match_all(&m);
	free(m.features);
	free(m.weights);
	free(m.known_features);
	free(m.other_features);
	free(m.as_called);
	free(m.as_caller);
	free(m.candidates);
	free(m.best_known);
	free(m.next_known);
	free(m.best_other);
	free(m.next_other);
	return err;
}

void pairing_free(struct pairing *pairing)
{
	free(pairing->partner);
	free(pairing->reverse);
	free(pairing->similarity);
	free(pairing->is_anchor);
	*pairing = (struct pairing){};
}
