// SPDX-License-Identifier: BSD-2-Clause
/* Names for hidden functions: the parts of the comparison, and the references that are part of erlbpf. */
#include "match/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "match/graph/binary.h"
#include "match/facts.h"
#include "match/graph/graph.h"
#include "match/pairing.h"
#include "match/reference.h"
#include "match/graph/registers.h"
#include "node/code/jit_calls.h"

/* Where functions begin. */

#define FRAMES_AT 0x1000

/* A description with addresses of 4 bytes relative to their place, and two functions; as GNU as writes them. */
static const unsigned char frames[] = {
	0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
	/* at 24: its own place is 28, that of the address 32 */
	0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0xe0, 0x0f, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* at 48 */
	0x14, 0, 0, 0, 0x34, 0, 0, 0, 0xe8, 0x0f, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* the end */
};

Test(match, functions_begin_where_frames_say)
{
	struct binary_function *functions = NULL;
	size_t count = 0;

	cr_assert(eq(int, frames_read(frames, sizeof(frames), FRAMES_AT, &functions, &count), 0));
	cr_assert(eq(sz, count, 2));
	cr_expect(eq(u32, functions[0].start, 0x2000));
	cr_expect(eq(u32, functions[0].size, 0x20));
	cr_expect(eq(u32, functions[1].start, 0x2020));
	cr_expect(eq(u32, functions[1].size, 8));
	free(functions);
}

Test(match, frames_that_are_cut_or_changed_harm_nobody)
{
	unsigned char copy[sizeof(frames)];
	uint64_t chance = 7;

	for (size_t round = 0; round < 20000; round++) {
		size_t size = round < sizeof(frames) ? round : sizeof(frames), count = 0;
		struct binary_function *functions = NULL;
		unsigned char *exact = malloc(size + 1);

		memcpy(copy, frames, sizeof(frames));
		for (size_t i = 0; round >= sizeof(frames) && i < 3; i++)
			copy[check_random(&chance) % sizeof(frames)] = (unsigned char)check_random(&chance);
		memcpy(exact, copy, size);
		cr_expect(eq(int, frames_read(exact, size, FRAMES_AT, &functions, &count), 0));
		cr_expect(le(sz, count, 8));
		free(functions);
		free(exact);
	}
}

/* Relations. */

Test(match, relations_are_sorted_or_in_order)
{
	static const uint32_t pairs[][2] = { { 0, 5 }, { 0, 3 }, { 0, 5 }, { 2, 9 }, { 2, 1 } };
	struct relation_builder sorted = {}, in_order = {};
	struct relation a, b;

	for (size_t i = 0; i < COUNT(pairs); i++) {
		cr_assert(eq(int, relation_add(&sorted, pairs[i][0], pairs[i][1]), 0));
		cr_assert(eq(int, relation_add(&in_order, pairs[i][0], pairs[i][1]), 0));
	}
	cr_assert(eq(int, relation_make(&sorted, 3, &a), 0));
	cr_assert(eq(int, relation_make_in_order(&in_order, 3, &b), 0));
	cr_expect(eq(u32, relation_size(&a, 0), 2));
	cr_expect(eq(u32, relation_size(&a, 1), 0));
	cr_expect(eq(u32, a.items[0], 3));
	cr_expect(eq(u32, a.items[1], 5));
	cr_expect(eq(u32, b.items[0], 5));
	cr_expect(eq(u32, b.items[1], 3));
	cr_expect(eq(u32, b.items[2], 9));
	free(a.first);
	free(a.items);
	free(b.first);
	free(b.items);
}

Test(match, more_pairs_than_any_vm_has_are_too_many)
{
	struct relation_builder builder = {};

	for (size_t i = 0; i < GRAPH_MAX_PAIRS; i++)
		cr_assert(eq(int, relation_add(&builder, 0, (uint32_t)i), 0));
	cr_expect(eq(int, relation_add(&builder, 0, 0), -ENOEXEC), "memory is not short");
	free(builder.pairs);
}

Test(match, an_anchor_that_names_two_functions_names_none)
{
	struct graph graph = { .anchor_count = 4 };

	graph.anchors = calloc(4, sizeof(*graph.anchors));
	graph.anchors[0] = (struct anchor){ 7, 1 };
	graph.anchors[1] = (struct anchor){ 3, 2 };
	graph.anchors[2] = (struct anchor){ 7, 4 };
	graph.anchors[3] = (struct anchor){ 3, 2 };
	graph_sort_anchors(&graph);
	cr_assert(eq(sz, graph.anchor_count, 1));
	cr_expect(eq(u32, graph.anchors[0].key, 3));
	cr_expect(eq(u32, graph.anchors[0].function, 2));
	graph_free(&graph);
}

/* Arguments. */

static uint16_t registers_of(const char *code, size_t size)
{
	unsigned char bytes[64];
	struct binary binary = {
		.section_count = 1,
		.sections = { { .kind = BINARY_CODE, .address = 0x1000, .size = sizeof(bytes), .data = bytes } },
	};
	struct binary_function function = { 0x1000, (uint32_t)size };
	struct effort effort = { EFFORT_MOST };

	memset(bytes, 0xcc, sizeof(bytes));
	memcpy(bytes, code, size);
	return registers_used(&binary, &function, &effort);
}

Test(match, arguments_that_a_function_uses)
{
	static const struct {
		const char *code;
		size_t size;
		uint16_t registers;
	} rows[] = {
		{ "\x48\x89\xf8\xc3", 4, 0x0001 },			    /* mov %rdi,%rax; ret */
		{ "\x31\xff\xc3", 3, 0 },				    /* xor %edi,%edi: not used */
		{ "\x48\x8b\x46\x10\xc3", 5, 0x0002 },			    /* mov 16(%rsi),%rax */
		{ "\x89\xd7\xe9\x00\x10\x00\x00", 7, 0x3e04 },		    /* mov %edx,%edi; jmp elsewhere */
		{ "\xe8\x00\x10\x00\x00\x48\x89\xf8\xc3", 9, 0x3f00 },	    /* call; %rdi is another's then */
		{ "\x74\x04\x48\x89\xf8\xc3\x48\x89\xc8\xc3", 10, 0x0009 }, /* either %rdi or %rcx */
		{ "\xeb\xfe", 2, 0 },					    /* a loop without an end */
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(u16, registers_of(rows[i].code, rows[i].size), rows[i].registers), "row %zu", i);
}

Test(match, a_copy_with_other_arguments_does_not_fit)
{
	cr_expect(registers_fit(0x0003, 0x0003));
	cr_expect(registers_fit(0x0003, 0x0201), "the second is passed on");
	cr_expect(not(registers_fit(0x0003, 0x0001)), "the second is gone");
	cr_expect(not(registers_fit(0x0001, 0x0005)), "there is a third");
	cr_expect(registers_fit(REGISTERS_UNKNOWN, 0x0005));
}

/* What a file says of itself. */

static const struct anchors_tables none;

static void find_facts(const char *texts, size_t size, struct facts *facts)
{
	unsigned char *data = malloc(size);
	struct binary binary = {
		.section_count = 1,
		.sections = { { .kind = BINARY_CONSTANTS, .address = 0x2000, .size = (uint32_t)size, .data = data } },
	};

	memcpy(data, texts, size);
	facts_find(&binary, &none, facts);
	free(data);
}

Test(match, a_release_and_its_version_are_told)
{
	static const char texts[] =
		"zlib\0001.3.1\00017.0\0(Erlang/OTP 18).\0of (Erlang/OTP 30).\00018.2.1\0erts_beamasm";
	struct facts facts;

	find_facts(texts, sizeof(texts), &facts);
	cr_expect(eq(int, facts.release, 18), "the first that is told");
	find_facts(texts + 30, sizeof(texts) - 30, &facts);
	cr_expect(eq(int, facts.release, 30));
	cr_assert(ge(sz, facts.count, 2));
	expect_text(facts.all[1].name, "etp_erts_version");
	expect_text(texts + 30 + facts.all[1].address - 0x2000, "18.2.1");
}

Test(match, texts_without_a_release_tell_nothing)
{
	static const char texts[] = "(Erlang/OTP \0(Erlang/OTP 2)\0(Erlang/OTP 123)\0(Erlang/OTP 2";
	struct facts facts;

	for (size_t size = 1; size <= sizeof(texts); size++) {
		find_facts(texts, size, &facts);
		cr_expect(eq(int, facts.release, 0));
	}
}

Test(match, a_release_of_no_vm_in_many_sections_overflows_nothing)
{
	static unsigned char text[] = "x\00012.1\0(Erlang/OTP 00)\0(Erlang/OTP 09)";
	struct binary binary = { .section_count = BINARY_MAX_SECTIONS };
	struct facts facts;

	for (size_t i = 0; i < BINARY_MAX_SECTIONS; i++)
		binary.sections[i] = (struct binary_section){
			.kind = BINARY_CONSTANTS,
			.address = (uint32_t)(0x1000 * (i + 1)),
			.size = sizeof(text),
			.data = text,
		};
	facts_find(&binary, &none, &facts);
	cr_expect(eq(int, facts.release, 0));
	cr_expect(eq(sz, facts.count, 0));
}

/* References. */

static void read_references(struct reference_set *set)
{
	size_t size = 0;
	const void *table = reference_table(29, &size);

	cr_assert(ne(ptr, check_pointer(table), NULL));
	cr_assert(eq(int, reference_set_read(table, size, set), 0));
}

Test(match, there_are_two_references_of_a_release_at_least)
{
	struct reference_set set;
	size_t size;

	read_references(&set);
	cr_expect(eq(int, set.release, 29));
	cr_expect(ge(sz, set.count, 2));
	for (size_t i = 0; i < set.count; i++)
		cr_expect(gt(sz, set.all[i].graph.count, 5000));
	reference_set_free(&set);
	cr_expect(eq(ptr, check_pointer(reference_table(28, &size)), NULL), "older than all");
	cr_expect(ne(ptr, check_pointer(reference_table(35, &size)), NULL), "the newest before it");
}

Test(match, tables_that_are_broken_are_refused)
{
	size_t size;
	const unsigned char *table = reference_table(29, &size);
	unsigned char *copy = malloc(size);
	struct reference_set set;

	for (size_t part = 0; part < 8; part++) {
		cr_expect(eq(int, reference_set_read(table, size * part / 8, &set), -EINVAL), "part %zu", part);
		reference_set_free(&set);
	}
	memcpy(copy, table, size);
	memset(copy, 0xff, sizeof(uint64_t));
	cr_expect(eq(int, reference_set_read(copy, size, &set), -EINVAL), "a size of its own");
	reference_set_free(&set);
	free(copy);
}

/* How many functions of one reference another calls by the same name, and by another. */
static void compare_references(const struct reference *a, const struct reference *b, size_t *same, size_t *other)
{
	struct effort effort = { EFFORT_MOST };
	struct pairing pairing;

	*same = *other = 0;
	cr_assert(eq(int, pairing_make(&a->graph, &b->graph, &effort, &pairing), 0));
	for (size_t i = 0; i < a->graph.count; i++) {
		const char *known = a->names[i].text, *found;

		if (!known || pairing.partner[i] == PAIRING_NONE)
			continue;
		found = b->names[pairing.partner[i]].text;
		*same += known == found;
		*other += found && known != found;
	}
	pairing_free(&pairing);
}

Test(match, references_name_the_functions_of_each_other)
{
	struct reference_set set;
	size_t same, other;

	read_references(&set);
	for (size_t i = 1; i < set.count; i++) {
		compare_references(&set.all[0], &set.all[i], &same, &other);
		cr_expect(gt(sz, same, 3500), "reference %zu: %zu", i, same);
		cr_expect(lt(sz, other, same / 25), "reference %zu: %zu", i, other);
	}
	compare_references(&set.all[0], &set.all[0], &same, &other);
	cr_expect(eq(sz, other, 0), "with itself");
	reference_set_free(&set);
}

/* What the JIT calls. */

/* How many there are in the code at 0x5000, the first ones; and each part of it from its beginning on harms nobody. */
static size_t find_calls(enum arch arch, const void *code, size_t whole, uint64_t *first, size_t room)
{
	uint64_t *calls;
	size_t count = 0;

	for (size_t size = 0; size <= whole; size++) {
		unsigned char *exact = malloc(size + 1);

		memcpy(exact, code, size);
		cr_assert(eq(int, jit_calls_find(arch, exact, size, 0x5000, &calls, &count), 0));
		for (size_t i = 1; i < count; i++)
			cr_expect(lt(u64, calls[i - 1], calls[i]));
		if (size == whole)
			memcpy(first, calls, (count < room ? count : room) * sizeof(*first));
		free(calls);
		free(exact);
	}
	return count;
}

Test(match, calls_of_jit_code_are_found_in_each_form)
{
	static const unsigned char code[] = {
		0xe8, 0xfb, 0x0f, 0,	0,			   /* call 0x1000 further than its begin */
		0x49, 0xba, 0x21, 0x43, 0x65, 0x87, 0,	  0, 0, 0, /* mov $0x87654321, %r10 */
		0xff, 0x15, 0x02, 0,	0,    0,		   /* call *2(%rip): of the word at 23 */
		0x90, 0x90, 0x78, 0x56, 0x34, 0x12, 0x7f, 0, 0, 0, /* that word */
		0xff, 0x15, 0x00, 0x10, 0,    0,		   /* a word that is not there */
	};
	uint64_t calls[3];

	cr_assert(ge(sz, find_calls(ARCH_X86_64, code, sizeof(code), calls, COUNT(calls)), 3));
	cr_expect(eq(u64, calls[0], 0x6000));
	cr_expect(eq(u64, calls[1], 0x87654321));
	cr_expect(eq(u64, calls[2], 0x7f12345678));
}

Test(match, calls_of_jit_code_for_aarch64_are_found_in_each_form)
{
	static const uint32_t code[] = {
		0xd28acf09, /* mov x9, #0x5678 */
		0xf2a24689, /* movk x9, #0x1234, lsl #16 */
		0xf2c00fe9, /* movk x9, #0x7f, lsl #32 */
		0xd63f0120, /* blr x9 */
		0x94000400, /* bl .+0x1000 */
		0xf2c00fe9, /* movk alone */
	};
	uint64_t calls[2];

	cr_assert(eq(sz, find_calls(ARCH_AARCH64, code, sizeof(code), calls, COUNT(calls)), 2));
	cr_expect(eq(u64, calls[0], 0x6010));
	cr_expect(eq(u64, calls[1], 0x7f12345678));
}
