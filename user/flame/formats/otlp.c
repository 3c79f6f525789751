// SPDX-License-Identifier: BSD-2-Clause
/*
 * The message is built in an arena, packed and freed. Its tables start with an empty entry, so numbers are those of our
 * frames and functions plus 1. Each text occurs once, as the format requires.
 */
#include "flame/formats/otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/text.h"
#include "flame/profile_parts.h"

#include "otlp_profiles.pb-c.h"

#define MOST_FRAMES (4UL << 20) /* in all stacks together, 16 MiB */
#define MOST_NODES 256
#define NO_NODE UINT32_MAX /* of stacks without a group */

/* OpenTelemetry's names for the kinds of frames: attributes of locations, in this order. */
enum frame_type { TYPE_NONE, TYPE_BEAM, TYPE_NATIVE, TYPE_KERNEL, TYPES };

static const char *const types[TYPES] = { "", "beam", "native", "kernel" };

static const enum frame_type type_of[FRAME_KINDS] = {
	[FRAME_ERLANG] = TYPE_BEAM,    [FRAME_BIF] = TYPE_BEAM,	     [FRAME_VM] = TYPE_NATIVE,
	[FRAME_LIBRARY] = TYPE_NATIVE, [FRAME_KERNEL] = TYPE_KERNEL,
};

struct texts {
	char **all;
	size_t count, room;
	struct intern numbers;
};

/* The profile of a node. */
struct of_node {
	uint32_t group; /* the frame of the group, or NO_NODE */
	OtlpProfiles__Sample **samples;
	size_t count, room;
};

struct making {
	struct arena *arena;
	const struct profile *profile;
	const struct profile_otlp *head;
	struct texts texts;
	OtlpProfiles__Dictionary dictionary;
	size_t stack_room, frames;
	struct of_node nodes[MOST_NODES];
	size_t node_count;
	int err;
};

/* --- Texts ------------------------------------------------------------------------------------------------------- */

static int32_t new_text(struct making *making, uint32_t hash, const char *text)
{
	struct texts *texts = &making->texts;

	texts->all = arena_grow(making->arena, texts->all, &texts->room, texts->count + 1, sizeof(*texts->all));
	texts->all[texts->count] = arena_strdup(making->arena, text);
	if (intern_put(&texts->numbers, hash, (uint32_t)texts->count))
		making->err = -ENOMEM;
	return (int32_t)texts->count++;
}

/* The number of a text in the table. */
static int32_t text_number(struct making *making, const char *text)
{
	struct texts *texts = &making->texts;
	_cleanup_free_ char *safe = text_for_terminal(text);
	uint32_t hash;

	if (!safe) {
		making->err = -ENOMEM;
		return 0;
	}
	hash = (uint32_t)fnv64(making->profile->seed, safe, strlen(safe));
	for (struct intern_search search = { .hash = hash }; intern_next(&texts->numbers, &search);) {
		if (!strcmp(texts->all[search.number], safe))
			return (int32_t)search.number;
	}
	return new_text(making, hash, safe);
}

/* --- The dictionary ---------------------------------------------------------------------------------------------- */

static void *array(const struct making *making, size_t count, size_t size)
{
	return arena_alloc(making->arena, (count + 1) * size);
}

static OtlpProfiles__Function *function_new(struct making *making, const struct function *function)
{
	OtlpProfiles__Function *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__function__init(made);
	if (!function)
		return made;
	made->name_strindex = made->system_name_strindex = text_number(making, function->name);
	made->filename_strindex = text_number(making, function->file);
	return made;
}

static void add_functions(struct making *making)
{
	OtlpProfiles__Dictionary *to = &making->dictionary;

	to->function_table = array(making, making->profile->function_count, sizeof(*to->function_table));
	to->function_table[to->n_function_table++] = function_new(making, NULL);
	for (size_t i = 0; i < making->profile->function_count; i++)
		to->function_table[to->n_function_table++] = function_new(making, &making->profile->functions[i]);
}

static OtlpProfiles__Location *location_new(const struct making *making, const struct frame *frame)
{
	OtlpProfiles__Location *made = arena_alloc(making->arena, sizeof(*made));
	enum frame_type type;

	otlp_profiles__location__init(made);
	if (!frame)
		return made;
	made->lines = array(making, 1, sizeof(*made->lines));
	made->lines[0] = arena_alloc(making->arena, sizeof(**made->lines));
	otlp_profiles__line__init(made->lines[0]);
	made->lines[0]->function_index = (int32_t)frame->function + 1;
	made->lines[0]->line = frame->line;
	made->n_lines = 1;
	type = type_of[making->profile->functions[frame->function].kind];
	made->attribute_indices = array(making, 1, sizeof(*made->attribute_indices));
	made->attribute_indices[0] = type;
	made->n_attribute_indices = type != TYPE_NONE;
	return made;
}

static void add_locations(const struct making *making, OtlpProfiles__Dictionary *to)
{
	to->location_table = array(making, making->profile->frame_count, sizeof(*to->location_table));
	to->location_table[to->n_location_table++] = location_new(making, NULL);
	for (size_t i = 0; i < making->profile->frame_count; i++)
		to->location_table[to->n_location_table++] = location_new(making, &making->profile->frames[i]);
}

static Otlp__AnyValue *value_new(const struct making *making, const char *text)
{
	Otlp__AnyValue *made = arena_alloc(making->arena, sizeof(*made));

	otlp__any_value__init(made);
	made->value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	made->string_value = arena_strdup(making->arena, text);
	return made;
}

static void add_types(struct making *making)
{
	OtlpProfiles__Dictionary *to = &making->dictionary;

	to->attribute_table = array(making, TYPES, sizeof(*to->attribute_table));
	for (int i = 0; i < TYPES; i++) {
		OtlpProfiles__KeyValueAndUnit *made = arena_alloc(making->arena, sizeof(*made));

		otlp_profiles__key_value_and_unit__init(made);
		if (i != TYPE_NONE) {
			made->key_strindex = text_number(making, "profile.frame.type");
			made->value = value_new(making, types[i]);
		}
		to->attribute_table[to->n_attribute_table++] = made;
	}
}

/* Tables with only the empty entry. */
static void add_empty(struct making *making)
{
	OtlpProfiles__Dictionary *to = &making->dictionary;

	to->mapping_table = array(making, 1, sizeof(*to->mapping_table));
	to->mapping_table[0] = arena_alloc(making->arena, sizeof(**to->mapping_table));
	otlp_profiles__mapping__init(to->mapping_table[0]);
	to->n_mapping_table = 1;
	to->link_table = array(making, 1, sizeof(*to->link_table));
	to->link_table[0] = arena_alloc(making->arena, sizeof(**to->link_table));
	otlp_profiles__link__init(to->link_table[0]);
	to->n_link_table = 1;
}

/* --- Samples ----------------------------------------------------------------------------------------------------- */

static struct of_node *node_of(struct making *making, uint32_t group)
{
	struct of_node *node = making->nodes;

	while (node < making->nodes + making->node_count && node->group != group)
		node++;
	if (node == making->nodes + MOST_NODES)
		return NULL;
	if (node == making->nodes + making->node_count) {
		node->group = group;
		making->node_count++;
	}
	return node;
}

static int32_t stack_number(struct making *making, const uint32_t *frames, size_t count)
{
	OtlpProfiles__Dictionary *to = &making->dictionary;
	OtlpProfiles__Stack *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__stack__init(made);
	made->location_indices = array(making, count, sizeof(*made->location_indices));
	while (count)
		made->location_indices[made->n_location_indices++] = (int32_t)frames[--count] + 1;
	to->stack_table = arena_grow(making->arena, to->stack_table, &making->stack_room, to->n_stack_table + 1,
				     sizeof(*to->stack_table));
	to->stack_table[to->n_stack_table] = made;
	return (int32_t)to->n_stack_table++;
}

static void add_sample(struct making *making, struct of_node *node, int32_t stack, uint64_t value)
{
	OtlpProfiles__Sample *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__sample__init(made);
	made->stack_index = stack;
	made->values = array(making, 1, sizeof(*made->values));
	made->values[0] = value > INT64_MAX ? INT64_MAX : (int64_t)value;
	made->n_values = 1;
	node->samples = arena_grow(making->arena, node->samples, &node->room, node->count + 1, sizeof(made));
	node->samples[node->count++] = made;
}

static void add_stack(void *data, const struct stack *stack)
{
	struct making *making = data;
	bool has_node = stack->count && profile_function(making->profile, stack->frames[0])->kind == FRAME_GROUP;
	struct of_node *node = node_of(making, has_node ? stack->frames[0] : NO_NODE);

	making->frames += stack->count;
	if (!node || making->frames > MOST_FRAMES)
		making->err = -E2BIG;
	if (!making->err)
		add_sample(making, node,
			   stack_number(making, stack->frames + has_node, stack->count - (size_t)has_node),
			   stack->value);
}

/* --- Resources --------------------------------------------------------------------------------------------------- */

static Otlp__KeyValue *attribute_new(const struct making *making, const char *name, const char *value)
{
	_cleanup_free_ char *safe = text_for_json(value);
	Otlp__KeyValue *made = arena_alloc(making->arena, sizeof(*made));

	otlp__key_value__init(made);
	made->key = arena_strdup(making->arena, name);
	made->value = value_new(making, safe ? safe : "");
	return made;
}

static const char *name_of(const struct making *making, const struct of_node *node)
{
	return node->group == NO_NODE ? NULL : profile_function(making->profile, node->group)->name;
}

static Otlp__Resource *resource_new(const struct making *making, const struct of_node *node)
{
	const struct profile_otlp *head = making->head;
	Otlp__Resource *made = arena_alloc(making->arena, sizeof(*made));
	const char *name = name_of(making, node);

	otlp__resource__init(made);
	made->attributes = array(making, head->attributes + 1, sizeof(*made->attributes));
	for (size_t i = 0; i < head->attributes; i++)
		made->attributes[made->n_attributes++] = attribute_new(making, head->resource[i].name,
								       head->resource[i].value);
	if (name)
		made->attributes[made->n_attributes++] = attribute_new(making, "node", name);
	return made;
}

static OtlpProfiles__ValueType *time_type(struct making *making)
{
	OtlpProfiles__ValueType *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__value_type__init(made);
	made->type_strindex = text_number(making, "cpu");
	made->unit_strindex = text_number(making, "nanoseconds");
	return made;
}

/* Each node's profile has its own ID. */
static void set_id(const struct making *making, const struct of_node *node, OtlpProfiles__Profile *to)
{
	const char *name = name_of(making, node);
	uint64_t own = name ? fnv64(0, name, strlen(name)) : 0;

	to->profile_id.data = arena_alloc(making->arena, PROFILE_OTLP_ID);
	to->profile_id.len = PROFILE_OTLP_ID;
	memcpy(to->profile_id.data, making->head->id, PROFILE_OTLP_ID);
	for (size_t i = 0; i < sizeof(own); i++)
		to->profile_id.data[i] ^= (uint8_t)(own >> 8 * i);
}

static OtlpProfiles__Profile *profile_of(struct making *making, const struct of_node *node)
{
	OtlpProfiles__Profile *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__profile__init(made);
	made->sample_type = time_type(making);
	made->period_type = time_type(making);
	made->period = (int64_t)making->head->period_ns;
	made->time_unix_nano = making->head->start_unix_ns;
	made->duration_nano = making->head->duration_ns;
	made->samples = node->samples;
	made->n_samples = node->count;
	set_id(making, node, made);
	return made;
}

static OtlpProfiles__ScopeProfiles *scope_new(struct making *making, const struct of_node *node)
{
	OtlpProfiles__ScopeProfiles *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__scope_profiles__init(made);
	made->scope = arena_alloc(making->arena, sizeof(*made->scope));
	otlp__scope__init(made->scope);
	made->scope->name = (char *)"erlbpf";
	made->scope->version = (char *)making->head->version;
	made->profiles = array(making, 1, sizeof(*made->profiles));
	made->profiles[made->n_profiles++] = profile_of(making, node);
	return made;
}

static OtlpProfiles__ResourceProfiles *resource_profiles_new(struct making *making, const struct of_node *node)
{
	OtlpProfiles__ResourceProfiles *made = arena_alloc(making->arena, sizeof(*made));

	otlp_profiles__resource_profiles__init(made);
	made->resource = resource_new(making, node);
	made->scope_profiles = array(making, 1, sizeof(*made->scope_profiles));
	made->scope_profiles[made->n_scope_profiles++] = scope_new(making, node);
	return made;
}

/* --- The message ------------------------------------------------------------------------------------------------- */

static void fill(struct making *making, OtlpProfiles__Request *request)
{
	text_number(making, "");
	add_empty(making);
	add_types(making);
	add_functions(making);
	add_locations(making, &making->dictionary);
	stack_number(making, NULL, 0);
	profile_each_stack(making->profile, add_stack, making);
	request->resource_profiles = array(making, making->node_count, sizeof(*request->resource_profiles));
	for (size_t i = 0; i < making->node_count; i++)
		request->resource_profiles[request->n_resource_profiles++] = resource_profiles_new(making,
												   &making->nodes[i]);
	making->dictionary.string_table = making->texts.all;
	making->dictionary.n_string_table = making->texts.count;
	request->dictionary = &making->dictionary;
}

static uint8_t *pack(const OtlpProfiles__Request *request, size_t *size)
{
	uint8_t *packed;

	*size = otlp_profiles__request__get_packed_size(request);
	packed = malloc(*size);
	if (packed)
		otlp_profiles__request__pack(request, packed);
	return packed;
}

uint8_t *profile_pack_otlp(const struct profile *profile, const struct profile_otlp *head, size_t *size)
{
	struct making *making = calloc(1, sizeof(*making));
	OtlpProfiles__Request request = OTLP_PROFILES__REQUEST__INIT;
	uint8_t *packed = NULL;
	int err = -ENOMEM;

	if (!making)
		return NULL;
	making->arena = arena_new();
	making->profile = profile;
	making->head = head;
	otlp_profiles__dictionary__init(&making->dictionary);
	if (making->arena) {
		fill(making, &request);
		packed = making->err ? NULL : pack(&request, size);
		err = making->err ? making->err : packed ? 0 : -ENOMEM;
	}
	arena_free(making->arena);
	intern_free(&making->texts.numbers);
	free(making);
	errno = -err;
	return packed;
}
