// SPDX-License-Identifier: BSD-2-Clause
#include "match/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/embed.h"

#define MAX_TABLE (64u << 20)

struct reader {
	const unsigned char *at, *end;
	bool is_bad;
	const char **names; /* by number */
	size_t name_count;
	uint32_t *features;
	size_t feature_count;
};

static uint32_t number(struct reader *r)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	unsigned char byte = 0x80;

	while (byte & 0x80 && r->at < r->end && shift < 35) {
		byte = *r->at++;
		value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	}
	r->is_bad |= byte & 0x80 || value > UINT32_MAX;
	return (uint32_t)value;
}

/* Reads a count. Each item takes at least one byte. */
static size_t count_of(struct reader *r)
{
	size_t count = number(r);

	r->is_bad |= count > (size_t)(r->end - r->at);
	return r->is_bad ? 0 : count;
}

static int read_names(struct reader *r, struct reference_set *set)
{
	size_t size = count_of(r), at = 0;

	set->names = malloc(size + 1);
	r->names = calloc(size + 1, sizeof(*r->names));
	if (!set->names || !r->names)
		return -ENOMEM;
	memcpy(set->names, r->at, size);
	set->names[size] = '\0';
	r->at += size;
	for (; at < size; at += strlen(set->names + at) + 1)
		r->names[r->name_count++] = set->names + at;
	return 0;
}

static int read_features(struct reader *r)
{
	uint32_t last = 0;

	r->feature_count = count_of(r);
	r->features = calloc(r->feature_count + 1, sizeof(*r->features));
	for (size_t i = 0; r->features && i < r->feature_count; i++)
		r->features[i] = last += number(r);
	return r->features ? 0 : -ENOMEM;
}

static const char *name_of(struct reader *r, size_t number)
{
	r->is_bad |= number >= r->name_count;
	return r->is_bad ? NULL : r->names[number];
}

/* Reads the items of a function in a relation, stored as differences. */
static bool read_items(struct reader *r, struct relation_builder *builder, uint32_t function, size_t below)
{
	size_t count = count_of(r);
	uint32_t item = 0;

	for (size_t i = 0; i < count; i++) {
		item += number(r);
		r->is_bad |= item >= below;
		if (r->is_bad || relation_add(builder, function, item))
			return false;
	}
	return true;
}

static bool read_touches(struct reader *r, struct reference *reference, size_t room, struct relation_builder *builder,
			 uint32_t function)
{
	size_t count = count_of(r);

	for (size_t i = 0; i < count; i++) {
		uint32_t coded = number(r);

		if (r->is_bad || reference->touch_count == room ||
		    relation_add(builder, function, (uint32_t)reference->touch_count))
			return false;
		reference->touches[reference->touch_count++] = (struct touch){ .object = coded / 2,
									       .is_computed = coded % 2,
									       .place = number(r) };
	}
	return true;
}

static void read_name(struct reader *r, struct reference_name *name)
{
	uint32_t coded = number(r);

	if (coded)
		*name = (struct reference_name){ name_of(r, (coded - 1) / 2), (coded - 1) % 2 };
}

static int read_functions(struct reader *r, struct reference *reference)
{
	struct graph *g = &reference->graph;
	struct relation_builder builders[RELATIONS] = {};
	size_t room = (size_t)(r->end - r->at);
	bool fits = true;
	int err = 0;

	for (uint32_t i = 0; fits && i < g->count; i++) {
		g->instructions[i] = (uint16_t)number(r);
		g->registers[i] = (uint16_t)number(r);
		read_name(r, &reference->names[i]);
		fits = read_items(r, &builders[HAS_FEATURES], i, r->feature_count) &&
		       read_items(r, &builders[CALLS], i, g->count) && read_items(r, &builders[TAKES], i, g->count) &&
		       read_touches(r, reference, room, &builders[TOUCHES], i);
	}
	for (size_t i = 0; fits && !err && i < RELATIONS; i++)
		err = i == CALLED_BY ? 0 : relation_make(&builders[i], g->count, &g->relations[i]);
	for (size_t i = 0; i < RELATIONS; i++)
		free(builders[i].pairs);
	return fits ? err : -EINVAL;
}

/* Replaces the numbers of features by features. Both have the same order. */
static void resolve_features(const struct reader *r, struct graph *g)
{
	struct relation *features = &g->relations[HAS_FEATURES];

	for (size_t i = 0; i < features->first[g->count]; i++)
		features->items[i] = r->features[features->items[i]];
}

static int read_anchors(struct reader *r, struct graph *g)
{
	g->anchor_count = count_of(r);
	g->anchors = calloc(g->anchor_count + 1, sizeof(*g->anchors));
	if (!g->anchors)
		return -ENOMEM;
	for (size_t i = 0; i < g->anchor_count; i++) {
		g->anchors[i].key = number(r);
		g->anchors[i].function = number(r);
		r->is_bad |= g->anchors[i].function >= g->count;
	}
	return 0;
}

static int read_objects(struct reader *r, struct reference *reference)
{
	reference->object_count = count_of(r);
	reference->objects = calloc(reference->object_count + 1, sizeof(*reference->objects));
	if (!reference->objects)
		return -ENOMEM;
	for (size_t i = 0; i < reference->object_count; i++) {
		struct reference_object *object = &reference->objects[i];

		object->name = name_of(r, number(r));
		object->size = number(r);
		object->kind = number(r);
	}
	for (size_t i = 0; i < reference->touch_count; i++)
		r->is_bad |= reference->touches[i].object >= reference->object_count;
	return 0;
}

static int read_reference(struct reader *r, struct reference *reference)
{
	struct graph *g = &reference->graph;
	int err;

	g->count = count_of(r);
	g->instructions = calloc(g->count + 1, sizeof(*g->instructions));
	g->registers = calloc(g->count + 1, sizeof(*g->registers));
	reference->names = calloc(g->count + 1, sizeof(*reference->names));
	reference->touches = calloc((size_t)(r->end - r->at) / 2 + 1, sizeof(*reference->touches));
	if (!g->instructions || !g->registers || !reference->names || !reference->touches)
		return -ENOMEM;
	err = read_functions(r, reference);
	if (!err)
		err = graph_reverse(g);
	if (err)
		return err;
	resolve_features(r, g);
	err = read_anchors(r, g);
	return err ? err : read_objects(r, reference);
}

static int read_set(struct reader *r, struct reference_set *set)
{
	size_t count;
	int err;

	if (number(r) != REFERENCE_VERSION)
		return -EINVAL;
	set->release = (int)number(r);
	count = number(r);
	if (r->is_bad || count > REFERENCES_MAX)
		return -EINVAL;
	err = read_names(r, set);
	if (!err)
		err = read_features(r);
	for (size_t i = 0; !err && !r->is_bad && i < count; i++)
		err = read_reference(r, &set->all[set->count++]);
	return err ? err : r->is_bad ? -EINVAL : 0;
}

int reference_set_read(const void *table, size_t size, struct reference_set *set)
{
	struct reader r = {};
	uint64_t whole;
	unsigned char *raw;
	uLongf length;
	int err = -EINVAL;

	*set = (struct reference_set){};
	if (size < sizeof(whole))
		return -EINVAL;
	memcpy(&whole, table, sizeof(whole));
	raw = whole <= MAX_TABLE ? malloc(whole + 1) : NULL;
	if (!raw)
		return whole <= MAX_TABLE ? -ENOMEM : -EINVAL;
	length = whole;
	if (uncompress(raw, &length, (const unsigned char *)table + sizeof(whole), size - sizeof(whole)) == Z_OK) {
		r.at = raw;
		r.end = raw + length;
		err = read_set(&r, set);
	}
	free(r.names);
	free(r.features);
	free(raw);
	return err;
}

void reference_set_free(struct reference_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		graph_free(&set->all[i].graph);
		free(set->all[i].names);
		free(set->all[i].objects);
		free(set->all[i].touches);
	}
	free(set->names);
	*set = (struct reference_set){};
}

/* The tables of probes/fingerprints/, one per release: the build makes the list of them from the folder. */

#define FINGERPRINT(release)                                                                                           \
	EMBED("fingerprints_" #release, "probes/fingerprints/" #release ".table");                                     \
	extern const unsigned char fingerprints_##release[];                                                           \
	extern const size_t fingerprints_##release##_size;
#include "fingerprints.inc"
#undef FINGERPRINT

const void *reference_table(int release, size_t *size)
{
	const void *found = NULL;

#define FINGERPRINT(its)                                                                                               \
	if (its <= release) {                                                                                          \
		found = fingerprints_##its;                                                                            \
		*size = fingerprints_##its##_size;                                                                     \
	}
#include "fingerprints.inc"
	return found;
}
