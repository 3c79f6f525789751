// SPDX-License-Identifier: BSD-2-Clause
/* The code of all modules, found in memory: a header and its functions as the JIT has them, in our own memory. */
#include "node/code/code.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"

#define ATOM(number) ((uint64_t)(number) << 6 | 0xb)
#define SHOP 700
#define HEADER_FUNCTIONS 12 /* words before them, in OTP 25 */
#define FUNCTIONS 6
#define ATTRIBUTES_SIZE 5 /* the word of a header that has it */

struct function {
	uint64_t op, breakpoint, mfa[3], code[8];
};

/* As it is in the memory of a node. */
struct loaded {
	uint64_t header[HEADER_FUNCTIONS + FUNCTIONS + 1];
	struct function functions[FUNCTIONS];
};

static uint64_t address_of(const void *memory)
{
	return (uint64_t)(uintptr_t)memory;
}

static struct loaded *load(void)
{
	int file = memfd_create("vmem", 0);
	struct loaded *module;

	cr_assert(file >= 0 && !ftruncate(file, 1 << 16));
	module = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, file, 0);
	close(file);
	cr_assert_neq(module, MAP_FAILED);
	module->header[0] = FUNCTIONS;
	for (uint64_t i = 0; i < FUNCTIONS; i++) {
		module->functions[i] = (struct function){ .op = 0x90, .mfa = { ATOM(SHOP), ATOM(SHOP + i), i } };
		module->header[HEADER_FUNCTIONS + i] = address_of(&module->functions[i]);
	}
	module->header[HEADER_FUNCTIONS + FUNCTIONS] = address_of(module->functions + FUNCTIONS);
	return module;
}

static void read_list(struct code_list *list)
{
	const struct elf_spec spec = {};
	struct vm vm = { .otp = 25, .like = 25, .flavor = FLAVOR_JIT };
	struct target target = { .pid = getpid(), .vm = &vm };
	struct elf_opened opened;

	elf_open_spec(&spec, &opened);
	vm.image = opened.image;
	cr_assert_eq(code_list_read(&target, list), 0);
	elf_close(&opened);
}

Test(code, a_size_within_a_header_begins_no_module)
{
	struct code_list list;

	/* Behind it, as many words as before the functions, is the last function. */
	for (uint64_t size = 1; size < 4; size++) {
		struct loaded *module = load();

		module->header[ATTRIBUTES_SIZE] = size;
		read_list(&list);
		cr_assert_eq(list.count, FUNCTIONS, "%zu functions", list.count);
		cr_assert_eq(list.module_count, 1, "%zu modules, size %lu", list.module_count, size);
		cr_assert_eq(list.modules[0].header, address_of(module));
		cr_assert_eq(list.modules[0].end, address_of(module + 1));
		code_list_free(&list);
		munmap(module, 1 << 16);
	}
}

/* To code that all modules share: two of them, in the last bytes of the module. */
static void add_jumps(struct loaded *module)
{
	uint8_t *end = (uint8_t *)(module->functions + FUNCTIONS);

	for (int i = 1; i <= 2; i++) {
		end[-6 * i] = 0x40;
		end[-6 * i + 1] = 0xe9;
	}
}

Test(code, behind_the_last_function_of_a_module_is_no_function)
{
	struct loaded *module = load();
	struct code_list list;
	uint64_t last, end = address_of(module->functions + FUNCTIONS) - 12;

	add_jumps(module);
	read_list(&list);
	last = list.functions[FUNCTIONS - 1].start;
	cr_expect_eq(code_list_at(&list, end - 1)->start, last);
	cr_expect_not(code_list_is_behind(&list, last, end - 1));
	cr_expect_null(code_list_at(&list, end));
	cr_expect(code_list_is_behind(&list, last, end));
	/* Another function is there by now. */
	cr_expect_not(code_list_is_behind(&list, end, end));
	code_list_free(&list);
}
