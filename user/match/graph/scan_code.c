// SPDX-License-Identifier: BSD-2-Clause
#include "match/graph/scan_code.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"

#define LEAST_TEXT 4
#define MAX_PLACE 0x4000 /* largest structure offset */

static void spend(struct scanner *s, uint64_t steps)
{
	if (!s->err && !effort_take(s->effort, steps))
		s->err = -ENOEXEC;
}

static void add_to(struct scanner *s, enum graph_relation relation, uint32_t function, uint32_t item)
{
	spend(s, EFFORT_PAIR);
	if (!s->err)
		s->err = relation_add(&s->relations[relation], function, item);
}

static void add(struct scanner *s, enum graph_relation relation, uint32_t item)
{
	add_to(s, relation, s->function, item);
}

static void add_feature(struct scanner *s, enum feature kind, uint32_t hash)
{
	add(s, HAS_FEATURES, hash << 2 | kind);
}

static bool is_near(const struct scanner *s, const struct near *near, size_t i)
{
	return i < near->count && s->place - near->places[i] <= NEAR;
}

static void remember(const struct scanner *s, struct near *near, uint32_t item)
{
	size_t kept = near->count < MAX_NEAR - 1 ? near->count : MAX_NEAR - 1;

	memmove(near->items + 1, near->items, kept * sizeof(*near->items));
	memmove(near->places + 1, near->places, kept * sizeof(*near->places));
	near->items[0] = item;
	near->places[0] = s->place;
	near->count = kept + 1;
}

static void add_beside(struct scanner *s, uint32_t function, uint32_t word, bool is_before)
{
	uint32_t hash = fnv32(is_before ? 4 : 6, &word, sizeof(word));

	add_to(s, HAS_FEATURES, function, hash << 2 | (word & 3));
}

/* Records a text or a number. */
static void take_word(struct scanner *s, enum feature kind, uint32_t hash)
{
	uint32_t word = hash << 2 | kind;

	add(s, HAS_FEATURES, word);
	for (size_t i = 0; is_near(s, &s->taken, i); i++)
		add_beside(s, s->taken.items[i], word, false);
	remember(s, &s->said, word);
}

static void take_function(struct scanner *s, uint32_t function)
{
	add(s, TAKES, function);
	for (size_t i = 0; is_near(s, &s->said, i); i++)
		add_beside(s, function, s->said.items[i], true);
	remember(s, &s->taken, function);
}

static uint32_t import_of_stub(const struct scanner *s, uint64_t address)
{
	size_t left;
	const unsigned char *code = binary_bytes(s->binary, address, &left);
	uint64_t slot;

	if (!code)
		return 0;
	slot = s->machine->stub(code, left, address);
	return slot ? binary_import_at(s->binary, slot) : 0;
}

void scan_branch(struct scanner *s, uint64_t target)
{
	const struct binary_section *section;
	int64_t function;
	uint32_t import;

	if (target >= s->start && target < s->end)
		return;
	function = binary_function_at(s->binary, target);
	if (function >= 0) {
		add(s, CALLS, (uint32_t)function);
		return;
	}
	/* Without section headers, stubs are not distinguished from other code. */
	section = binary_section_of(s->binary, target);
	import = section && (section->kind == BINARY_STUBS || section->kind == BINARY_CODE) ? import_of_stub(s, target)
											    : 0;
	if (import)
		add_feature(s, FEATURE_IMPORT, import);
}

void scan_slot(struct scanner *s, uint64_t slot)
{
	uint32_t import = binary_import_at(s->binary, slot), pointer;
	int64_t function;

	if (import) {
		add_feature(s, FEATURE_IMPORT, import);
		return;
	}
	pointer = binary_pointer_at(s->binary, slot);
	function = pointer ? binary_function_at(s->binary, pointer) : -1;
	if (function >= 0)
		add(s, CALLS, (uint32_t)function);
}

void scan_address(struct scanner *s, uint64_t address, bool is_computed)
{
	const struct binary_section *section = binary_section_of(s->binary, address);
	const char *text = section ? binary_text(s->binary, address, LEAST_TEXT) : NULL;
	uint32_t import = section ? binary_import_at(s->binary, address) : 0;
	int64_t function;

	if (!section)
		return;
	if (text) {
		take_word(s, FEATURE_TEXT, fnv32(0, text, strlen(text)));
	} else if (import) {
		add_feature(s, FEATURE_IMPORT, import);
	} else if (section->kind == BINARY_CODE) {
		function = binary_function_at(s->binary, address);
		if (function >= 0)
			take_function(s, (uint32_t)function);
	} else {
		add(s, TOUCHES, TOUCHED(address, is_computed));
	}
}

/* Small numbers and masks occur everywhere. */
static bool is_telling(uint64_t value)
{
	uint64_t next = value + 1;

	return value > 0xff && next && (value & next) && (int64_t)value > 0;
}

/* Numbers of atoms change between versions; their texts do not. */
static uint32_t hash_of_number(const struct scanner *s, uint64_t value)
{
	const char *atom = anchors_atom(s->binary, s->tables, value);

	return atom ? fnv32(5, atom, strlen(atom)) : fnv32(2, &value, sizeof(value));
}

void scan_number(struct scanner *s, uint64_t value, bool may_be_address)
{
	if (may_be_address && s->binary->has_fixed_place && binary_section_of(s->binary, value))
		scan_address(s, value, true);
	else if (is_telling(value))
		take_word(s, FEATURE_CONSTANT, hash_of_number(s, value));
}

void scan_place(struct scanner *s, int64_t place)
{
	if (place > 0x20 && place < MAX_PLACE)
		add_feature(s, FEATURE_PLACE, fnv32(3, &place, sizeof(place)));
}

bool scan_next(struct scanner *s)
{
	spend(s, EFFORT_INSTRUCTION);
	s->place++;
	return !s->err;
}
