// SPDX-License-Identifier: BSD-2-Clause
/* Instructions of aarch64, as GNU as encodes them, and what of a function they tell. */
#include "base/a64.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "match/graph/registers.h"
#include "match/graph/scan.h"

#define AT 0x100000

static const struct row {
	uint32_t word;
	enum a64_kind kind;
	uint64_t value;
	uint8_t rd, rn;
	uint32_t reads, writes;
} rows[] = {
	{ 0xf0000000, A64_PAGE, 0x103000, 0, A64_NONE, 0x0, 0x1 },	    /* adrp x0, .+0x3000 */
	{ 0x10000041, A64_ADDRESS, 0x100008, 1, A64_NONE, 0x0, 0x2 },	    /* adr x1, .+8 */
	{ 0x91048c00, A64_ADD, 0x123, 0, 0, 0x1, 0x1 },			    /* add x0, x0, #0x123 */
	{ 0x11400483, A64_ADD, 0x1000, 3, 4, 0x10, 0x8 },		    /* add w3, w4, #1, lsl #12 */
	{ 0xd1002062, A64_NUMBER, 0x8, 2, 3, 0x8, 0x4 },		    /* sub x2, x3, #8 */
	{ 0x7108003f, A64_NUMBER, 0x200, A64_NONE, 1, 0x2, 0x0 },	    /* cmp w1, #0x200 */
	{ 0x52824681, A64_SET, 0x1234, 1, A64_NONE, 0x0, 0x2 },		    /* mov w1, #0x1234 */
	{ 0x92800002, A64_SET, 0xffffffffffffffff, 2, A64_NONE, 0x0, 0x4 }, /* movn x2, #0 */
	{ 0xf2b579a1, A64_KEEP, 0xabcd0000, 1, A64_NONE, 0x2, 0x2 },	    /* movk x1, #0xabcd, lsl #16 */
	{ 0xb2089fe1, A64_SET, 0xff00ff00ff00ff00, 1, A64_NONE, 0x0, 0x2 }, /* mov x1, #0xff00ff00ff00ff00 */
	{ 0x121c3c20, A64_NUMBER, 0xffff0, 0, 1, 0x2, 0x1 },		    /* and w0, w1, #0xffff0 */
	{ 0x331e0820, A64_OTHER, 0x0, 0, 1, 0x3, 0x1 },			    /* bfi w0, w1, #2, #3 */
	{ 0xf9409403, A64_LOAD, 0x128, 3, 0, 0x1, 0x8 },		    /* ldr x3, [x0, #0x128] */
	{ 0x39401403, A64_LOAD, 0x5, 3, 0, 0x1, 0x8 },			    /* ldrb w3, [x0, #5] */
	{ 0x3dc00803, A64_LOAD, 0x20, A64_NONE, 0, 0x1, 0x0 },		    /* ldr q3, [x0, #0x20] */
	{ 0xb9004023, A64_STORE, 0x40, 3, 1, 0xa, 0x0 },		    /* str w3, [x1, #0x40] */
	{ 0xa94153f3, A64_LOAD, 0x10, 19, A64_NONE, 0x0, 0x180000 },	    /* ldp x19, x20, [sp, #16] */
	{ 0xa9bf0801, A64_STORE, 0xfffffffffffffff0, 1, 0, 0x7, 0x1 },	    /* stp x1, x2, [x0, #-16]! */
	{ 0xf84084c5, A64_LOAD, 0x0, 5, 6, 0x40, 0x60 },		    /* ldr x5, [x6], #8 */
	{ 0xf8637841, A64_OTHER, 0x0, 1, 2, 0xc, 0x2 },			    /* ldr x1, [x2, x3, lsl #3] */
	{ 0xb89fc041, A64_LOAD, 0xfffffffffffffffc, 1, 2, 0x4, 0x2 },	    /* ldursw x1, [x2, #-4] */
	{ 0xc85ffc41, A64_LOAD, 0x0, 1, 2, 0x4, 0x2 },			    /* ldaxr x1, [x2] */
	{ 0xc803fc41, A64_STORE, 0x0, 1, 2, 0x6, 0x8 },			    /* stlxr w3, x1, [x2] */
	{ 0xc8a17c62, A64_STORE, 0x0, 2, 3, 0xe, 0x2 },			    /* cas x1, x2, [x3] */
	{ 0xf8210062, A64_LOAD, 0x0, 2, 3, 0xa, 0x4 },			    /* ldadd x1, x2, [x3] */
	{ 0xf9800080, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x10, 0x0 },	    /* prfm pldl1keep, [x4] */
	{ 0x94000400, A64_CALL, 0x101000, A64_NONE, A64_NONE, 0x0, 0x0 },   /* bl .+0x1000 */
	{ 0x17fffffc, A64_GO, 0xffff0, A64_NONE, A64_NONE, 0x0, 0x0 },	    /* b .-16 */
	{ 0x54000041, A64_GO_IF, 0x100008, A64_NONE, A64_NONE, 0x0, 0x0 },  /* b.ne .+8 */
	{ 0xb4000067, A64_GO_IF, 0x10000c, A64_NONE, A64_NONE, 0x80, 0x0 }, /* cbz x7, .+12 */
	{ 0x37200083, A64_GO_IF, 0x100010, A64_NONE, A64_NONE, 0x8, 0x0 },  /* tbnz w3, #4, .+16 */
	{ 0xd61f0200, A64_GO, 0x0, A64_NONE, A64_NONE, 0x10000, 0x0 },	    /* br x16 */
	{ 0xd63f0060, A64_CALL, 0x0, A64_NONE, A64_NONE, 0x8, 0x0 },	    /* blr x3 */
	{ 0xd65f03c0, A64_STOP, 0x0, A64_NONE, A64_NONE, 0x40000000, 0x0 }, /* ret */
	{ 0xd4200020, A64_STOP, 0x0, A64_NONE, A64_NONE, 0x0, 0x0 },	    /* brk #1 */
	{ 0xd4000001, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x13f, 0x0 },	    /* svc #0 */
	{ 0xd53bd042, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x0, 0x4 },	    /* mrs x2, tpidr_el0 */
	{ 0xaa0503e0, A64_OTHER, 0x0, 0, A64_NONE, 0x20, 0x1 },		    /* orr x0, xzr, x5 */
	{ 0x9b020c20, A64_OTHER, 0x0, 0, 1, 0xe, 0x1 },			    /* madd x0, x1, x2, x3 */
	{ 0x9a820020, A64_OTHER, 0x0, 0, 1, 0x6, 0x1 },			    /* csel x0, x1, x2, eq */
	{ 0xfa420020, A64_OTHER, 0x0, 0, 1, 0x6, 0x0 },			    /* ccmp x1, x2, #0, eq */
	{ 0xfa430820, A64_OTHER, 0x0, 0, 1, 0x2, 0x0 },			    /* ccmp x1, #3, #0, eq */
	{ 0xdac01041, A64_OTHER, 0x0, 1, 2, 0x4, 0x2 },			    /* clz x1, x2 */
	{ 0x9e670060, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x8, 0x0 },	    /* fmov d0, x3 */
	{ 0x1e780001, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x0, 0x2 },	    /* fcvtzs w1, d0 */
	{ 0x0e053c01, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x0, 0x2 },	    /* umov w1, v0.b[2] */
	{ 0x4e040ca0, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x20, 0x0 },	    /* dup v0.4s, w5 */
	{ 0xd503233f, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x0, 0x0 },	    /* paciasp */
	{ 0xd503201f, A64_OTHER, 0x0, A64_NONE, A64_NONE, 0x0, 0x0 },	    /* nop */
};

Test(a64, instructions_say_what_they_do)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct a64 a = a64_read(row->word, AT);

		cr_expect(eq(int, a.kind, row->kind), "%x", row->word);
		cr_expect(eq(u64, a.value, row->value), "%x", row->word);
		cr_expect(eq(u8, a.rd, row->rd), "%x", row->word);
		cr_expect(eq(u8, a.rn, row->rn), "%x", row->word);
		cr_expect(eq(u32, a.reads, row->reads), "%x", row->word);
		cr_expect(eq(u32, a.writes, row->writes), "%x", row->word);
	}
}

Test(a64, any_word_can_be_read)
{
	uint64_t chance = 3;

	for (size_t i = 0; i < 1000000; i++) {
		struct a64 a = a64_read((uint32_t)check_random(&chance), AT);

		if (a.rd > A64_NONE || a.rn > A64_NONE || a.kind > A64_STOP || (a.reads | a.writes) >> 31)
			cr_fail("a register that there is not");
	}
}

/* Functions. */

#define CODE 0x1000
#define TEXTS 0x3000
#define LINKED 0x4000
#define DATA 0x5000

static const uint32_t first[] = {
	0xd0000000, /* adrp x0, TEXTS */
	0x91004000, /* add x0, x0, #16: a text */
	0xf0000001, /* adrp x1, LINKED */
	0xf9400421, /* ldr x1, [x1, #8]: what the linker has put there */
	0xb9402023, /* ldr w3, [x1, #32]: a place in it */
	0x52824681, /* mov w1, #0x1234 */
	0xaa0403e2, /* mov x2, x4: another between them */
	0x72a000a1, /* movk w1, #5, lsl #16 */
	0xf9409483, /* ldr x3, [x4, #0x128]: a place in a structure */
	0x10000080, /* adr x0, .+16: the second function */
	0x94000003, /* bl .+12: the same */
	0x14000000, /* b .: within the function */
	0xd65f03c0, /* ret */
};
static const uint32_t second[] = { 0x8b010000 /* add x0, x0, x1 */, 0xd65f03c0 };

struct made {
	struct binary binary;
	struct graph graph;
	unsigned char code[256], texts[64], linked[64], data[64];
};

static void make(struct made *m)
{
	static const struct anchors_tables none;
	struct effort effort = { EFFORT_MOST };

	memset(m, 0, sizeof(*m));
	memcpy(m->code, first, sizeof(first));
	memcpy(m->code + sizeof(first), second, sizeof(second));
	memcpy(m->texts + 16, "a text", 7);
	m->binary = (struct binary){
		.arch = ARCH_AARCH64,
		.section_count = 4,
		.sections = {
			{ BINARY_CODE, CODE, sizeof(m->code), m->code },
			{ BINARY_CONSTANTS, TEXTS, sizeof(m->texts), m->texts },
			{ BINARY_DATA, LINKED, sizeof(m->linked), m->linked },
			{ BINARY_DATA, DATA, sizeof(m->data), m->data },
		},
		.linked_address = LINKED,
		.linked_size = sizeof(m->linked),
		.function_count = 2,
		.pointer_count = 1,
	};
	m->binary.functions = malloc(2 * sizeof(*m->binary.functions));
	m->binary.functions[0] = (struct binary_function){ CODE, sizeof(first) };
	m->binary.functions[1] = (struct binary_function){ CODE + sizeof(first), sizeof(second) };
	m->binary.pointers = malloc(sizeof(*m->binary.pointers));
	m->binary.pointers[0] = (struct binary_pointer){ LINKED + 8, DATA };
	cr_assert(eq(int, scan(&m->binary, &none, &effort, &m->graph), 0));
}

static void end(struct made *m)
{
	free(m->binary.functions);
	free(m->binary.pointers);
	graph_free(&m->graph);
}

static size_t size_of(const struct made *m, enum graph_relation relation)
{
	return relation_size(&m->graph.relations[relation], 0);
}

Test(a64, a_function_is_told_by_what_it_uses)
{
	struct made m;
	const struct relation *touched = &m.graph.relations[TOUCHES];

	make(&m);
	/* The text, the number, the place, and that the second function is taken near a number. */
	cr_expect(eq(sz, size_of(&m, HAS_FEATURES), 3));
	cr_expect(eq(sz, size_of(&m, CALLS), 1));
	cr_expect(eq(sz, size_of(&m, TAKES), 1));
	cr_assert(eq(sz, size_of(&m, TOUCHES), 2));
	cr_expect(eq(u32, touched->items[touched->first[0]], TOUCHED(DATA, true)));
	cr_expect(eq(u32, touched->items[touched->first[0] + 1], TOUCHED(DATA + 32, false)));
	cr_expect(eq(int, m.graph.instructions[0], COUNT(first)));
	end(&m);
}

Test(a64, arguments_that_a_function_uses)
{
	struct made m;

	make(&m);
	cr_expect(eq(int, m.graph.registers[0] & 0x3f, 1 << 4), "%x", m.graph.registers[0]);
	cr_expect(eq(int, m.graph.registers[1], 3));
	end(&m);
}
