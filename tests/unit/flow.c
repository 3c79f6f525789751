// SPDX-License-Identifier: BSD-2-Clause
/* The ways through functions: small ones that are written here, and erts_schedule() of the VM that is installed. */
#include "probe/code/flow.h"
#include "probe/code/flow_exit.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "target/image/image.h"

#define STOCK "/usr/lib/erlang/erts-*/bin/beam.smp"

#define NONE -1
#define RBX 5
#define R13 2

/* A function at address 0x1000; a table of jumps, if it has one, is at 0x2000. */
struct function {
	const char *what;
	unsigned char code[40];
	size_t size;
	int32_t table[4];
};

static int read_table(void *data, uint64_t address, void *buf, size_t size)
{
	const struct function *f = data;

	if (address < 0x2000 || address + size > 0x2000 + sizeof(f->table))
		return -ENOENT;
	memcpy(buf, (const char *)f->table + (address - 0x2000), size);
	return 0;
}

static int make(const struct function *f, struct flow *flow)
{
	struct flow_code code = { f->code, f->size, 0x1000, read_table, (void *)(uintptr_t)f };

	return flow_make(&code, flow);
}

#define DISPATCH(last, to)                                                                                             \
	0x83, 0xff, last, 0x77, (to)-5,		    /* 0: cmp $last,%edi; ja to */                                     \
		0x48, 0x8d, 0x15, 0xf4, 0x0f, 0, 0, /* 5: lea 0x2000,%rdx */                                           \
		0x48, 0x63, 0x04, 0xba,		    /* 12: movslq (%rdx,%rdi,4),%rax */                                \
		0x48, 0x01, 0xd0		    /* 16: add %rdx,%rax */

/* What is certain of the ways. */
static const struct {
	struct function f;
	int err;
	bool is_closed;
} graphs[] = {
	{ { "ret", { 0xc3 }, 1, {} }, 0, true },
	{ { "nop behind the end", { 0xc3, 0x66, 0x90 }, 3, {} }, 0, true },
	{ { "code behind the end that no way leads to", { 0xc3, 0x55 }, 2, {} }, 0, false },
	{ { "je over a push; ret", { 0x74, 1, 0x55, 0xc3 }, 4, {} }, 0, true },
	{ { "je into the push of r15", { 0x74, 1, 0x41, 0x57, 0xc3 }, 5, {} }, -EINVAL, false },
	{ { "jmp back into an instruction", { 0x41, 0x57, 0xeb, 0xfd }, 4, {} }, -EINVAL, false },
	{ { "jmp out", { 0xeb, 0x10 }, 2, {} }, 0, false },
	{ { "jmp before the begin", { 0xeb, 0x80 }, 2, {} }, 0, false },
	{ { "je behind the end", { 0x74, 1, 0xc3 }, 3, {} }, 0, false },
	{ { "falls out of the end", { 0x55 }, 1, {} }, -EINVAL, false },
	{ { "a call at the end does not return", { 0xe8, 0, 0, 1, 0 }, 5, {} }, 0, true },
	{ { "call to the next instruction", { 0xe8, 0, 0, 0, 0, 0x58, 0xc3 }, 7, {} }, -EINVAL, false },
	{ { "call of itself", { 0xe8, 0xfb, 0xff, 0xff, 0xff, 0xc3 }, 6, {} }, 0, true },
	{ { "jmp *%rax", { 0xff, 0xe0 }, 2, {} }, 0, false },
	{ { "ud2", { 0x0f, 0x0b }, 2, {} }, 0, true },
	{ { "ret $8", { 0xc2, 8, 0 }, 3, {} }, -EINVAL, false },
	{ { "int3", { 0xcc }, 1, {} }, -EINVAL, false },
	{ { "not known", { 0x06, 0xc3 }, 2, {} }, -EINVAL, false },
	{ { "cut short", { 0x48, 0x8b }, 2, {} }, -EINVAL, false },
	{ { "a table", { DISPATCH(1, 21), 0xff, 0xe0, 0xc3, 0xc3 }, 23, { 0x1015 - 0x2000, 0x1016 - 0x2000 } },
	  0,
	  true },
	{ { "with notrack", { DISPATCH(1, 22), 0x3e, 0xff, 0xe0, 0xc3 }, 23, { 0x1016 - 0x2000, 0x1016 - 0x2000 } },
	  0,
	  true },
	{ { "a case out of the function", { DISPATCH(1, 21), 0xff, 0xe0, 0xc3, 0xc3 }, 23, { 0x1015 - 0x2000, 9 } },
	  0,
	  false },
	{ { "a table longer than the data", { DISPATCH(9, 21), 0xff, 0xe0, 0xc3, 0xc3 }, 23, { 0x1015 - 0x2000 } },
	  0,
	  false },
	{ { "a case within the dispatch", { DISPATCH(0, 21), 0xff, 0xe0, 0xc3, 0xc3 }, 23, { 0x1005 - 0x2000 } },
	  0,
	  false },
	{ { "another register is bounded",
	    { 0x83, 0xfe, 1,	0x77, 0x10, 0x48, 0x8d, 0x15, 0xf4, 0x0f, 0,
	      0,    0x48, 0x63, 0x04, 0xba, 0x48, 0x01, 0xd0, 0xff, 0xe0, 0xc3 },
	    22,
	    { 0x1015 - 0x2000, 0x1015 - 0x2000 } },
	  0,
	  false },
};

Test(flow, what_is_not_certain_is_told)
{
	for (size_t i = 0; i < COUNT(graphs); i++) {
		struct flow flow;
		int err = make(&graphs[i].f, &flow);

		cr_expect(eq(int, err, graphs[i].err), "%s", graphs[i].f.what);
		if (err)
			continue;
		cr_expect(eq(int, flow.is_closed, graphs[i].is_closed), "%s", graphs[i].f.what);
		flow_free(&flow);
	}
}

/* Where probes go instead of one at the return. */
static const struct {
	struct function f;
	int at;	       /* of the first place; NONE: there is none */
	int count;     /* of places */
	int value;     /* register with the result; NONE: it is in none */
	bool is_other; /* something else may be written behind it */
} exits[] = {
	{ { "ret alone", { 0xc3 }, 1, {} }, NONE, 0, 0, false },
	{ { "test; je over mov %rbx,%rax; ret", { 0x85, 0xff, 0x74, 3, 0x48, 0x89, 0xd8, 0xc3 }, 8, {} },
	  2,
	  1,
	  NONE,
	  false },
	{ { "test; je over a nop; mov %rbx,%rax; ret", { 0x85, 0xff, 0x74, 1, 0x90, 0x48, 0x89, 0xd8, 0xc3 }, 9, {} },
	  2,
	  1,
	  RBX,
	  false },
	{ { "je; xor %eax,%eax; ret: one way has another value", { 0x74, 2, 0x31, 0xc0, 0xc3 }, 5, {} },
	  0,
	  1,
	  NONE,
	  false },
	{ { "je; ret; ret: one place for both", { 0x74, 1, 0xc3, 0xc3 }, 4, {} }, 0, 1, X86_RAX, false },
	{ { "je; call; jmp; ret: the nearest", { 0x74, 7, 0xe8, 0, 0, 1, 0, 0xeb, 0, 0xc3 }, 10, {} },
	  NONE,
	  0,
	  0,
	  false },
	{ { "call; jmp; ret", { 0xe8, 0, 0, 1, 0, 0xeb, 0, 0xc3 }, 8, {} }, 5, 1, X86_RAX, false },
	{ { "je; call; ret; jmp; ret: a return without a place",
	    { 0x74, 6, 0xe8, 0, 0, 1, 0, 0xc3, 0xeb, 0, 0xc3 },
	    11,
	    {} },
	  NONE,
	  0,
	  0,
	  false },
	{ { "je; call; jmp; ret; call; jmp; ret: two places",
	    { 0x74, 8, 0xe8, 0, 0, 1, 0, 0xeb, 0, 0xc3, 0xe8, 0, 0, 1, 0, 0xeb, 0, 0xc3 },
	    18,
	    {} },
	  7,
	  2,
	  X86_RAX,
	  false },
	{ { "je; je: the last one, which all pass", { 0x74, 0, 0x74, 1, 0x90, 0xc3 }, 6, {} }, 2, 1, X86_RAX, false },
	{ { "jne to itself: a loop passes it more than once", { 0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3 }, 6, {} },
	  NONE,
	  0,
	  0,
	  false },
	{ { "je; a call behind it", { 0x74, 0, 0xe8, 0, 0, 1, 0, 0xc3 }, 8, {} }, NONE, 0, 0, false },
	{ { "je; syscall", { 0x74, 0, 0x0f, 0x05, 0xc3 }, 5, {} }, NONE, 0, 0, false },
	{ { "je; ud2: one way does not return", { 0x74, 1, 0xc3, 0x0f, 0x0b }, 5, {} }, NONE, 0, 0, false },
	{ { "je out of it", { 0x74, 0x10, 0xc3 }, 3, {} }, NONE, 0, 0, false },
	{ { "jrcxz, which is stepped", { 0xe3, 0, 0xc3 }, 3, {} }, NONE, 0, 0, false },
	{ { "bnd jmp, which is stepped", { 0xf2, 0xe9, 0, 0, 0, 0, 0xc3 }, 7, {} }, NONE, 0, 0, false },
	{ { "the stack's guard: sub %fs:0x28,%rdx; jne; pop; ret; call; nop",
	    { 0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0, 0x75, 2, 0x5b, 0xc3, 0xe8, 0, 0, 1, 0, 0x90, 0xeb, 0xeb },
	    21,
	    {} },
	  9,
	  1,
	  X86_RAX,
	  false },
	{ { "the same of another word of the thread",
	    { 0x64, 0x48, 0x2b, 0x14, 0x25, 0x30, 0, 0, 0, 0x75, 2, 0x5b, 0xc3, 0xe8, 0, 0, 1, 0, 0x90, 0xeb, 0xeb },
	    21,
	    {} },
	  NONE,
	  0,
	  0,
	  false },
	{ { "the guard is compared before a call that does not return, too, and the same call ends both",
	    { 0x85, 0xff, 0x74, 13,   0x64, 0x48, 0x2b, 0x14, 0x25, 0x28, 0, 0, 0, 0x75, 18,   0x5b, 0xc3, 0x64, 0x48,
	      0x2b, 0x14, 0x25, 0x28, 0,    0,	  0,	0x75, 5,    0xe8, 0, 0, 1, 0,	 0xe8, 0,    0,	   1,	 0 },
	    38,
	    {} },
	  13,
	  1,
	  X86_RAX,
	  false },
	{ { "jmp; pop %rbx; mov %rbx,%rax: what was popped was nowhere before",
	    { 0xeb, 0, 0x5b, 0x48, 0x89, 0xd8, 0xc3 },
	    7,
	    {} },
	  0,
	  1,
	  NONE,
	  false },
	{ { "jmp; mov %ebx,%eax: half of it", { 0xeb, 0, 0x89, 0xd8, 0xc3 }, 5, {} }, 0, 1, NONE, false },
	{ { "jmp; mov %r13,%rbx; mov %rbx,%rax", { 0xeb, 0, 0x4c, 0x89, 0xeb, 0x48, 0x89, 0xd8, 0xc3 }, 9, {} },
	  0,
	  1,
	  R13,
	  false },
	{ { "jmp; mov %rcx,8(%rsp): the stack", { 0xeb, 0, 0x48, 0x89, 0x4c, 0x24, 8, 0xc3 }, 8, {} },
	  0,
	  1,
	  X86_RAX,
	  false },
	{ { "jmp; mov %rcx,8(%rbx)", { 0xeb, 0, 0x48, 0x89, 0x4b, 8, 0xc3 }, 7, {} }, 0, 1, X86_RAX, true },
	{ { "jmp; mov %rcx,8(%rax,%rbx)", { 0xeb, 0, 0x48, 0x89, 0x4c, 0x18, 8, 0xc3 }, 8, {} }, 0, 1, X86_RAX, true },
};

Test(flow, places_before_returns)
{
	for (size_t i = 0; i < COUNT(exits); i++) {
		struct flow_exits found;
		struct flow flow;

		cr_assert(eq(int, make(&exits[i].f, &flow), 0), "%s", exits[i].f.what);
		cr_expect(eq(int, flow_find_exits(&flow, &found), exits[i].at != NONE), "%s", exits[i].f.what);
		if (found.count && exits[i].at != NONE) {
			const struct flow_exit *exit = &found.exits[0];

			cr_expect(eq(sz, exit->at, (size_t)exits[i].at), "%s", exits[i].f.what);
			cr_expect(eq(sz, found.count, (size_t)exits[i].count), "%s", exits[i].f.what);
			cr_expect(eq(int, exit->value == X86_NOWHERE ? NONE : exit->value, exits[i].value), "%s",
				  exits[i].f.what);
			cr_expect(eq(int, exit->stores_elsewhere, exits[i].is_other), "%s", exits[i].f.what);
		}
		flow_free(&flow);
	}
}

/* jmp; mov %ecx,16(%rbx); mov %rbx,%rax; ret */
Test(flow, what_is_written_into_the_result_is_known_to_the_byte)
{
	static const struct function f = { "", { 0xeb, 0, 0x89, 0x4b, 0x10, 0x48, 0x89, 0xd8, 0xc3 }, 9, {} };
	struct flow_exits found;
	struct flow flow;

	cr_assert(eq(int, make(&f, &flow), 0));
	cr_assert(eq(int, flow_find_exits(&flow, &found), true));
	cr_expect(eq(int, flow_exit_stores(&found.exits[0], 8, 8), false));
	cr_expect(eq(int, flow_exit_stores(&found.exits[0], 9, 8), true));
	cr_expect(eq(int, flow_exit_stores(&found.exits[0], 19, 1), true));
	cr_expect(eq(int, flow_exit_stores(&found.exits[0], 20, 8), false));
	flow_free(&flow);
}

Test(flow, a_function_has_a_size)
{
	struct flow_code code = { .size = 0 };
	struct flow flow;

	cr_expect(eq(int, flow_make(&code, &flow), -EFBIG));
	code.size = FLOW_LONGEST + 1;
	cr_expect(eq(int, flow_make(&code, &flow), -EFBIG));
}

static int read_image(void *data, uint64_t address, void *buf, size_t size)
{
	return image_read(data, address, buf, size);
}

/* The process that it returns is in a register at one place that every way out passes. */
static void check_schedule(struct image *image)
{
	const struct image_symbol *symbol = image_symbol(image, "erts_schedule");
	struct flow_code code = { .read = read_image, .data = image };
	unsigned char *bytes;
	struct flow_exits found;
	struct flow flow;

	cr_assert(ne(ptr, check_pointer(symbol), NULL));
	bytes = malloc(symbol->size);
	code.bytes = bytes;
	code.size = symbol->size;
	code.address = symbol->address;
	cr_assert(eq(int, image_read_code(image, symbol->address, bytes, symbol->size), 0));
	cr_assert(eq(int, flow_make(&code, &flow), 0));
	cr_assert(eq(int, flow.is_closed, true));
	cr_assert(eq(int, flow_find_exits(&flow, &found), true));
	cr_expect(eq(sz, found.count, 1));
	cr_expect(ne(int, found.exits[0].value, X86_NOWHERE));
	cr_expect(eq(int, flow_exit_stores(&found.exits[0], 0, 8), false));
	flow_free(&flow);
	free(bytes);
}

Test(flow, erts_schedule_has_a_place)
{
	struct image *image;
	const char *why;
	glob_t found;
	int fd;

	if (glob(STOCK, 0, NULL, &found))
		cr_skip_test("no VM is installed");
	fd = open(found.gl_pathv[0], O_RDONLY | O_CLOEXEC);
	cr_assert(eq(int, image_open(fd, &image, &why), 0));
	if (image_arch(image) == ARCH_X86_64)
		check_schedule(image);
	image_free(image);
	close(fd);
	globfree(&found);
}

/* Chance, one ret in sixteen bytes, so that there are ways. */
Test(flow, chance_is_followed_without_leaving_the_function)
{
	static const unsigned char often[] = { 0xc3, 0x74, 0xeb, 0x90, 0x55, 0x5d, 0x01, 0x00 };
	uint64_t state = 11;

	for (int round = 0; round < 100000; round++) {
		struct function f = { .size = check_random(&state) % sizeof(f.code) };
		struct flow_exits found;
		struct flow flow;

		for (size_t i = 0; i < f.size; i++)
			f.code[i] = check_random(&state) % 4 ? often[check_random(&state) % COUNT(often)]
							     : (unsigned char)check_random(&state);
		if (make(&f, &flow))
			continue;
		if (flow_find_exits(&flow, &found))
			cr_assert(le(sz, found.count, FLOW_EXITS));
		flow_free(&flow);
	}
}
