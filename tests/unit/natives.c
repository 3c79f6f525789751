// SPDX-License-Identifier: BSD-2-Clause
/* Tables of a VM, read from this very process: an ELF file that is made for it says where they are. */
#include "node/code/natives.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "check.h"
#include "elf_builder.h"

#define MODULES 64
#define FUNCTIONS 1024 /* of each */

static struct {
	uint64_t init, taint, module, entry;
} modules[MODULES + 1];

static struct {
	int32_t major, minor;
	const char *name;
	int64_t count;
	const void *functions;
} entries[MODULES];

static struct {
	const char *name;
	uint64_t arity, address, flags;
} functions[MODULES * FUNCTIONS];

static uint64_t no_drivers;

/* As the file has it: target_address() adds what lies between the two entries. */
static uint64_t in_file(const void *at)
{
	return (uint64_t)(uintptr_t)at - getauxval(AT_ENTRY) + ELF_CODE;
}

static void read_natives(struct native_list *list)
{
	const struct elf_symbol symbols[] = {
		{ "driver_list", in_file(&no_drivers), 8, STT_OBJECT, false },
		{ "erts_static_nif_tab", in_file(modules), 8, STT_OBJECT, false },
	};
	const struct elf_spec spec = { .dynamic = symbols, .dynamic_count = COUNT(symbols) };
	struct vm vm = {};
	struct target target = { .pid = getpid(), .vm = &vm };
	struct elf_opened opened;

	elf_open_spec(&spec, &opened);
	vm.image = opened.image;
	native_list_of(&target, list);
	native_list_read(list);
	elf_close(&opened);
}

static void make_modules(int64_t count)
{
	for (size_t i = 0; i < MODULES; i++) {
		modules[i].init = 1;
		modules[i].entry = (uint64_t)(uintptr_t)&entries[i];
		entries[i].name = "module";
		entries[i].count = count;
		entries[i].functions = &functions[i * FUNCTIONS];
	}
	for (size_t i = 0; i < COUNT(functions); i++) {
		functions[i].name = "function";
		functions[i].arity = i % 3;
		functions[i].address = getauxval(AT_ENTRY) + i * 16;
	}
}

Test(natives, functions_of_modules_have_names_and_places)
{
	struct native_list list;

	make_modules(2);
	functions[1].address = functions[0].address;
	read_natives(&list);
	cr_assert(eq(sz, list.count, 2 * MODULES - 1));
	expect_text(list.natives[0].name, "module:function/0+1");
	cr_expect(eq(u64, list.natives[0].address, ELF_CODE));
	native_list_free(&list);
}

/* Each is compared with all others, so 65,536 of them took seven seconds. */
Test(natives, more_functions_than_any_vm_has_are_left_out)
{
	struct native_list list;

	make_modules(INT32_MAX);
	read_natives(&list);
	cr_expect(eq(sz, list.count, 8192));
	native_list_free(&list);
}
