// SPDX-License-Identifier: BSD-2-Clause
#include "match/votes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

#define LEAST_VOTES 2
#define LEAST_WEIGHT                                                                                                   \
	12 /* sum over all references. Measured: below 12 every second place was wrong, above 24 one of 200. */
#define SURE_WEIGHT 24 /* if only the minimum number of references agree */

/* A possible start of an object. Several ballots for one place add up. */
struct ballot {
	uint32_t object, address, weight;
};

struct box {
	struct ballot *ballots;
	size_t count, room;
	const struct reference *reference;
	const struct binary *binary;
};

/* At most GRAPH_MAX_TOUCHED times the number of touches in the reference: 0.9 million. */
static bool vote(struct box *box, const struct touch *touch, uint32_t touched, uint32_t weight)
{
	uint32_t address = TOUCHED_ADDRESS(touched) - touch->place;

	if (TOUCHED_IS_COMPUTED(touched) != touch->is_computed || TOUCHED_ADDRESS(touched) < touch->place ||
	    binary_kind_of_data(box->binary, address) != box->reference->objects[touch->object].kind)
		return true;
	if (!array_has_room_for(box->ballots, box->room, box->count + 1))
		return false;
	box->ballots[box->count++] = (struct ballot){ touch->object, address, weight };
	return true;
}

static bool vote_for(struct box *box, uint32_t known, const struct graph *graph, uint32_t other)
{
	const struct relation *a = &box->reference->graph.relations[TOUCHES], *b = &graph->relations[TOUCHES];
	uint32_t size_a = relation_size(a, known), size_b = relation_size(b, other);
	bool fits = true;

	for (uint32_t i = 0; i < size_a; i++) {
		const struct touch *touch = &box->reference->touches[a->items[a->first[known] + i]];

		for (uint32_t k = 0; fits && k < size_b; k++)
			fits = vote(box, touch, b->items[b->first[other] + k],
				    1 + (i == k) + (size_a - i == size_b - k));
	}
	return fits;
}

static int compare_ballots(const void *a, const void *b)
{
	const struct ballot *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int elect(struct votes *votes, const struct reference_object *object, uint32_t address, uint32_t best,
		 uint32_t next)
{
	if (best < LEAST_VOTES || best <= next + next / 4 || !object->name)
		return 0;
	if (!array_has_room(votes->all, votes->count))
		return -ENOMEM;
	votes->all[votes->count++] = (struct vote){ object->name, address, object->size, best };
	return 0;
}

/* Counts the ballots for one object, sorted by address: the winner's, and those of the second. */
static size_t count_object(const struct box *box, size_t i, struct votes *votes, int *err)
{
	uint32_t object = box->ballots[i].object, winner = 0, best = 0, next = 0;

	while (i < box->count && box->ballots[i].object == object) {
		uint32_t address = box->ballots[i].address, weight = 0;

		for (; i < box->count && box->ballots[i].object == object && box->ballots[i].address == address; i++)
			weight += box->ballots[i].weight;
		if (weight > best) {
			next = best;
			best = weight;
			winner = address;
		} else if (weight > next) {
			next = weight;
		}
	}
	*err = elect(votes, &box->reference->objects[object], winner, best, next);
	return i;
}

int votes_count(const struct reference *reference, const struct binary *binary, const struct graph *graph,
		const struct pairing *pairing, struct votes *votes)
{
	struct box box = { .reference = reference, .binary = binary };
	bool fits = true;
	int err = 0;

	for (uint32_t i = 0; fits && i < reference->graph.count; i++) {
		if (pairing->partner[i] != PAIRING_NONE)
			fits = vote_for(&box, i, graph, pairing->partner[i]);
	}
	if (fits && box.count)
		qsort(box.ballots, box.count, sizeof(*box.ballots), compare_ballots);
	for (size_t i = 0; fits && !err && i < box.count;)
		i = count_object(&box, i, votes, &err);
	free(box.ballots);
	return fits ? err : -ENOMEM;
}

static int compare_votes(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* The address of one object, from the votes of all references, sorted by address. */
static bool decide(const struct vote *all, size_t count, size_t agreeing, struct vote *decided)
{
	uint32_t total = 0;
	size_t most = 0;

	for (size_t i = 0; i < count;) {
		struct vote place = all[i];
		size_t begin = i;

		for (place.weight = 0; i < count && all[i].address == place.address; i++)
			place.weight += all[i].weight;
		total += place.weight;
		if (place.weight > decided->weight) {
			*decided = place;
			most = i - begin;
		}
	}
	if (most < agreeing || decided->weight < (most > agreeing ? LEAST_WEIGHT : SURE_WEIGHT))
		return false;
	return 2 * (total - decided->weight) < decided->weight;
}

static int compare_places(const void *a, const void *b)
{
	const struct vote *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->weight > y->weight ? -1 : x->weight < y->weight;
}

/* If two objects have one address, keeps the one with at least twice the weight, or neither. */
static void drop_rivals(struct votes *votes)
{
	size_t kept = 0;

	if (votes->count)
		qsort(votes->all, votes->count, sizeof(*votes->all), compare_places);
	for (size_t i = 0; i < votes->count;) {
		size_t end = i + 1;

		while (end < votes->count && votes->all[end].address == votes->all[i].address)
			end++;
		if (end == i + 1 || votes->all[i].weight >= 2 * votes->all[i + 1].weight)
			votes->all[kept++] = votes->all[i];
		i = end;
	}
	votes->count = kept;
}

void votes_decide(struct votes *votes, size_t agreeing)
{
	size_t kept = 0;

	if (votes->count)
		qsort(votes->all, votes->count, sizeof(*votes->all), compare_votes);
	for (size_t i = 0; i < votes->count;) {
		size_t begin = i;
		struct vote decided = {};

		while (i < votes->count && votes->all[i].name == votes->all[begin].name)
			i++;
		if (decide(votes->all + begin, i - begin, agreeing, &decided))
			votes->all[kept++] = decided;
	}
	votes->count = kept;
	drop_rivals(votes);
}

void votes_free(struct votes *votes)
{
	free(votes->all);
	*votes = (struct votes){};
}
