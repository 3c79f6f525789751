// SPDX-License-Identifier: BSD-2-Clause
/*
 * Code is read function by function, from its beginning to its end: compilers for this machine put no data between.
 * What an instruction says of a function does not depend on the compiler that chose it: which text, which function of a
 * library, which number, which place in a structure.
 */
#include "match/scan.h"

#include <Zydis/Zydis.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fnv.h"
#include "match/registers.h"

#define LEAST_TEXT 4
#define MAX_PLACE 0x4000 /* bytes into a structure */

/*
 * Which function is meant where one is passed to another is often told by what is passed with it: an atom or a text
 * beside its address. They are features of the function whose address is taken.
 */
#define NEAR 5	   /* instructions */
#define MAX_NEAR 8 /* of each kind that are kept */

struct near {
	uint32_t items[MAX_NEAR];
	size_t places[MAX_NEAR]; /* the numbers of the instructions */
	size_t count;
};

struct scanner {
	const struct binary *binary;
	const struct anchors_tables *tables;
	struct effort *effort;
	struct near said, taken;
	size_t place; /* the number of the instruction */
	struct graph *graph;
	struct relation_builder relations[RELATIONS];
	ZydisDecoder decoder;
	uint32_t function; /* that is read */
	uint32_t start, end;
	int err;
};

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

/* A text or a number. */
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

/* What the code at a stub of the linker jumps to: the function of a library, 0: none. */
static uint32_t import_of_stub(const struct scanner *s, uint64_t address)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	size_t left, at = 0;
	const unsigned char *code = binary_bytes(s->binary, address, &left);
	uint64_t slot;

	for (int i = 0; code && i < 4 && at < left; i++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&s->decoder, code + at, left - at, &info, operands)))
			return 0;
		if (info.mnemonic == ZYDIS_MNEMONIC_JMP && operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&info, &operands[0], address + at, &slot)))
			return binary_import_at(s->binary, slot);
		at += info.length;
	}
	return 0;
}

static void visit_branch(struct scanner *s, uint64_t target)
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
	section = binary_section_of(s->binary, target);
	import = section && section->kind == BINARY_STUBS ? import_of_stub(s, target) : 0;
	if (import)
		add_feature(s, FEATURE_IMPORT, import);
}

/* A call through a word that the linker fills in. */
static void visit_slot(struct scanner *s, uint64_t slot)
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

/* An address that is computed, or a place that is read or written. */
static void visit_address(struct scanner *s, uint64_t address, bool is_computed)
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

/* Small numbers are everywhere, and masks. */
static bool is_telling(uint64_t value)
{
	uint64_t next = value + 1;

	return value > 0xff && next && (value & next) && (int64_t)value > 0;
}

/* The numbers of atoms change from one version to the next; their texts do not. */
static uint32_t hash_of_number(const struct scanner *s, uint64_t value)
{
	const char *atom = anchors_atom(s->binary, s->tables, value);

	return atom ? fnv32(5, atom, strlen(atom)) : fnv32(2, &value, sizeof(value));
}

static void visit_number(struct scanner *s, const ZydisDecodedOperand *operand)
{
	uint64_t value = operand->imm.value.u;

	if (operand->imm.is_signed && operand->size <= 32)
		value = (uint32_t)value;
	if (s->binary->has_fixed_place && operand->size >= 32 && binary_section_of(s->binary, value))
		visit_address(s, value, true);
	else if (is_telling(value))
		take_word(s, FEATURE_CONSTANT, hash_of_number(s, value));
}

static bool is_stack(ZydisRegister base)
{
	return base == ZYDIS_REGISTER_NONE || base == ZYDIS_REGISTER_RSP;
}

static void visit_memory(struct scanner *s, const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operand,
			 uint64_t address)
{
	int64_t place = operand->mem.disp.value;
	uint64_t absolute;

	if (operand->mem.base == ZYDIS_REGISTER_RIP || (operand->mem.base == ZYDIS_REGISTER_NONE && place)) {
		if (!ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, operand, address, &absolute)))
			absolute = (uint64_t)place;
		if (info->mnemonic == ZYDIS_MNEMONIC_CALL || info->mnemonic == ZYDIS_MNEMONIC_JMP)
			visit_slot(s, absolute);
		else
			visit_address(s, absolute, info->mnemonic == ZYDIS_MNEMONIC_LEA);
	} else if (!is_stack(operand->mem.base) && place > 0x20 && place < MAX_PLACE) {
		add_feature(s, FEATURE_PLACE, fnv32(3, &place, sizeof(place)));
	}
}

static void visit(struct scanner *s, const ZydisDecodedInstruction *info, const ZydisDecodedOperand *operands,
		  uint64_t address)
{
	uint64_t target;

	for (size_t i = 0; i < info->operand_count_visible; i++) {
		const ZydisDecodedOperand *operand = &operands[i];

		if (operand->type == ZYDIS_OPERAND_TYPE_MEMORY) {
			visit_memory(s, info, operand, address);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && !operand->imm.is_relative) {
			visit_number(s, operand);
		} else if (operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
			   ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(info, operand, address, &target))) {
			visit_branch(s, target);
		}
	}
}

static void scan_function(struct scanner *s, uint32_t number)
{
	const struct binary_function *f = &s->binary->functions[number];
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction info;
	size_t left;
	const unsigned char *code = binary_bytes(s->binary, f->start, &left);

	s->function = number;
	s->start = f->start;
	s->end = f->start + f->size;
	s->place = s->taken.count = s->said.count = 0;
	for (uint32_t at = 0; code && at < f->size && !s->err; at += info.length, s->place++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&s->decoder, code + at, f->size - at, &info, operands)))
			break;
		spend(s, EFFORT_INSTRUCTION);
		visit(s, &info, operands, f->start + at);
	}
	s->graph->instructions[number] = s->place < UINT16_MAX ? (uint16_t)s->place : UINT16_MAX;
	s->graph->registers[number] = registers_used(s->binary, f, s->effort);
}

static int make_relations(struct scanner *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < RELATIONS; i++) {
		if (i != CALLED_BY && i != TOUCHES)
			err = relation_make(&s->relations[i], s->graph->count, &s->graph->relations[i]);
	}
	if (!err)
		err = relation_make_in_order(&s->relations[TOUCHES], s->graph->count, &s->graph->relations[TOUCHES]);
	return err ? err : graph_reverse(s->graph);
}

static int scan_all(struct scanner *s)
{
	int err;

	ZydisDecoderInit(&s->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (uint32_t i = 0; i < s->graph->count && !s->err; i++)
		scan_function(s, i);
	err = s->err ? s->err : make_relations(s);
	for (size_t i = 0; i < RELATIONS; i++)
		free(s->relations[i].pairs);
	return err ? err : anchors_find(s->binary, s->tables, s->effort, s->graph);
}

int scan(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort, struct graph *graph)
{
	struct scanner s = { .binary = binary, .tables = tables, .effort = effort, .graph = graph };

	*graph = (struct graph){ .count = binary->function_count };
	if (!binary->is_x86 || graph->count > GRAPH_MAX_FUNCTIONS)
		return -ENOEXEC;
	graph->instructions = calloc(graph->count + 1, sizeof(*graph->instructions));
	graph->registers = calloc(graph->count + 1, sizeof(*graph->registers));
	return graph->instructions && graph->registers ? scan_all(&s) : -ENOMEM;
}
