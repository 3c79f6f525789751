// SPDX-License-Identifier: BSD-2-Clause
/* Sites of functions that are named by a glob. */
#include "probe/code/instruction.h"
#include "probe/sites/search.h"

#include <errno.h>
#include <string.h>

#include "node/code/bifs.h"
#include "probe/functions.h"
#include "source_check.h"

#define AT(n) (ELF_CODE + 0x40 + (n)*16)

static const struct elf_symbol symbols[] = {
	{ "ets_insert_2", AT(0), 8, STT_FUNC, false },	       { "ets_lookup_2", AT(1), 8, STT_FUNC, false },
	{ "an_alias_of_lookup", AT(1), 8, STT_FUNC, false },   { "process_main", AT(2), 8, STT_FUNC, false },
	{ "erts_garbage_collect", AT(3), 8, STT_FUNC, false }, { "ets_data", ELF_DATA, 8, STT_OBJECT, false },
	{ "ets_nowhere", 0x10, 8, STT_FUNC, false },	       { "\033[31mred", AT(4), 8, STT_FUNC, false },
	{ "begins_with_nop5", ELF_NOP5, 8, STT_FUNC, false },  { "insert.cold", AT(5), 8, STT_FUNC, false },
};

static struct bif bifs[] = {
	{ .address = AT(0), .arity = 2, .mfa = (char *)"ets:insert/2" },
	{ .address = AT(1), .arity = 2, .mfa = (char *)"ets:lookup/2" },
};

static struct bif_list bif_list = { bifs, COUNT(bifs) };

struct asked {
	struct checked_vm c;
	struct function_request functions;
	struct site_request request;
};

static void ask(struct asked *a, const char *text, enum function_mode mode, const char *probe)
{
	static const struct elf_spec spec = { .dynamic = symbols, .dynamic_count = COUNT(symbols) };
	const char *why;

	*a = (struct asked){ .functions = { .mode = mode, .wants_process = mode != FUNCTIONS_COUNT } };
	cr_assert(eq(int, function_spec_parse(text, &a->functions.spec, &why), 0));
	a->request = (struct site_request){ .functions = &a->functions, .glob = probe };
	vm_begin_with(&a->c, 25, FLAVOR_JIT, &spec);
	a->c.vm.bifs = &bif_list;
	cr_assert(eq(int, site_list_make(&a->c.vm, &a->request, &a->c.list), 0));
}

static size_t sites(const char *text, enum function_mode mode, const char *probe)
{
	struct asked a;
	size_t count;

	ask(&a, text, mode, probe);
	count = a.c.list.count;
	vm_end(&a.c);
	return count;
}

Test(function_sites, a_glob_is_for_names_of_c_and_of_erlang)
{
	cr_expect(eq(sz, sites("ets_insert_2", FUNCTIONS_COUNT, "vm:uprobe-entry"), 1));
	cr_expect(eq(sz, sites("ets_*", FUNCTIONS_COUNT, "vm:uprobe-entry"), 2));
	cr_expect(eq(sz, sites("ets:*", FUNCTIONS_COUNT, "vm:uprobe-entry"), 2));
	cr_expect(eq(sz, sites("ets:insert/2", FUNCTIONS_COUNT, "vm:uprobe-entry"), 1));
	cr_expect(eq(sz, sites("ets:insert", FUNCTIONS_COUNT, "vm:uprobe-entry"), 1));
	cr_expect(eq(sz, sites("insert", FUNCTIONS_COUNT, "vm:uprobe-entry"), 0));
}

Test(function_sites, a_function_with_two_names_is_one)
{
	cr_expect(eq(sz, sites("*", FUNCTIONS_COUNT, "vm:uprobe-entry"), 5));
	cr_expect(eq(sz, sites("an_alias*", FUNCTIONS_COUNT, "vm:uprobe-entry"), 1));
}

/* The hits of its first byte are no calls, and there is no return address on the stack. */
Test(function_sites, a_part_of_a_function_is_not_probed)
{
	cr_expect(eq(sz, sites("insert.cold", FUNCTIONS_COUNT, "vm:uprobe-entry"), 0));
	cr_expect(eq(sz, sites("insert.cold", FUNCTIONS_TIME, "vm:uprobe-return"), 0));
}

/* It would become a call, which some kernels leave behind. */
Test(function_sites, a_function_that_begins_with_a_nop5_is_not_probed)
{
	cr_expect(eq(sz, sites("begins_with_nop5", FUNCTIONS_COUNT, "vm:uprobe-entry"), 0));
	cr_expect(eq(sz, sites("begins_with_nop5", FUNCTIONS_TIME, "vm:uprobe-return"), 0));
}

Test(function_sites, each_mode_has_its_probes)
{
	static const size_t expected[][2] = {
		[FUNCTIONS_COUNT] = { 2, 0 },
		[FUNCTIONS_TIME] = { 0, 2 },
		[FUNCTIONS_SHOW] = { 2, 2 },
	};

	for (size_t mode = 0; mode < COUNT(expected); mode++) {
		enum function_mode m = (enum function_mode)mode;

		cr_expect(eq(sz, sites("ets:*", m, "vm:uprobe-entry"), expected[mode][0]));
		cr_expect(eq(sz, sites("ets:*", m, "vm:uprobe-return"), expected[mode][1]));
	}
}

Test(function_sites, what_does_not_return_is_shown_at_its_entry_only)
{
	struct asked a;

	ask(&a, "process_main", FUNCTIONS_SHOW, "vm:uprobe-entry");
	cr_assert(eq(sz, a.c.list.count, 1));
	cr_assert(eq(u64, a.c.list.sites[0].config.flags & ERL_CONFIG_ENTRY_ONLY, ERL_CONFIG_ENTRY_ONLY));
	vm_end(&a.c);
	ask(&a, "process_main", FUNCTIONS_TIME, "vm:uprobe-return");
	cr_assert(eq(sz, a.c.list.count, 0));
	cr_assert(ne(ptr, check_pointer(missing_of(&a.c, "uprobe-return", true)), NULL));
	vm_end(&a.c);
}

Test(function_sites, arguments_of_a_bif_are_terms_in_memory)
{
	const struct erl_config *config;
	struct asked a;

	ask(&a, "ets_insert_2", FUNCTIONS_SHOW, "vm:uprobe-entry");
	config = &a.c.list.sites[0].config;
	for (int i = 0; i < 2; i++) {
		cr_expect(eq(u32, config->args[i + 1].form, ERL_FORM_TERM));
		cr_expect(eq(int, config->args[i + 1].operand.steps, 1));
		cr_expect(eq(i64, config->args[i + 1].operand.disp[0], i * 8));
	}
	cr_expect(eq(u32, config->args[0].form, ERL_FORM_TERM));
	cr_expect(eq(u32, config->args[3].form, ERL_FORM_NONE));
	expect_text(function_bif(a.c.list.sites[0].function), "ets:insert/2", "its name in Erlang");
	vm_end(&a.c);
}

Test(function_sites, types_of_the_command_line_come_before_known_ones)
{
	const struct erl_config *config;
	struct asked a;

	ask(&a, "erts_garbage_collect(_,hex,bytes(7))", FUNCTIONS_SHOW, "vm:uprobe-entry");
	config = &a.c.list.sites[0].config;
	cr_expect(eq(u32, config->args[0].form, ERL_FORM_NONE), "the process is not known");
	cr_expect(eq(u32, config->args[1].form, ERL_FORM_SKIPPED));
	cr_expect(eq(u32, config->args[2].form, ERL_FORM_ADDRESS));
	cr_expect(eq(u32, config->args[3].form, ERL_FORM_BYTES));
	cr_expect(eq(u32, config->args[3].text_size, 7));
	vm_end(&a.c);
	ask(&a, "erts_garbage_collect", FUNCTIONS_SHOW, "vm:uprobe-entry");
	cr_expect(eq(u32, a.c.list.sites[0].config.args[2].form, ERL_FORM_SIGNED));
	vm_end(&a.c);
}

Test(function_sites, a_function_of_which_nothing_is_known_has_arguments_all_the_same)
{
	struct asked a;

	ask(&a, "process_main", FUNCTIONS_SHOW, "vm:uprobe-entry");
	cr_expect(eq(u32, a.c.list.sites[0].config.args[1].form, ERL_FORM_MORE));
	vm_end(&a.c);
	ask(&a, "process_main()", FUNCTIONS_SHOW, "vm:uprobe-entry");
	cr_expect(eq(u32, a.c.list.sites[0].config.args[1].form, ERL_FORM_NONE));
	vm_end(&a.c);
}

Test(function_sites, a_filter_by_process_leaves_out_functions_of_which_none_is_known)
{
	struct asked a;

	ask(&a, "*", FUNCTIONS_COUNT, "vm:uprobe-entry");
	site_list_free(&a.c.list);
	a.functions.needs_process = a.functions.wants_process = true;
	cr_assert(eq(int, site_list_make(&a.c.vm, &a.request, &a.c.list), 0));
	cr_expect(eq(sz, a.c.list.count, 3));
	cr_expect(ne(ptr, check_pointer(missing_of(&a.c, "uprobe-entry", false)), NULL));
	vm_end(&a.c);
}

Test(function_sites, nothing_found_is_explained)
{
	struct asked a;

	ask(&a, "nosuch*", FUNCTIONS_COUNT, "vm:uprobe-entry");
	cr_expect(eq(sz, a.c.list.count, 0));
	cr_expect(ne(ptr, check_pointer(strstr(missing_of(&a.c, "uprobe-entry", true), "nosuch*")), NULL));
	vm_end(&a.c);
}

Test(function_sites, other_tools_than_uprobe_get_none)
{
	struct checked_vm c;

	vm_begin(&c, 25, FLAVOR_JIT, NULL, 0);
	vm_find(&c, "*:*", SOURCE_ANY);
	cr_expect(eq(sz, sites_of(&c, "uprobe-entry"), 0));
	cr_expect(ne(ptr, check_pointer(missing_of(&c, "uprobe-return", true)), NULL));
	vm_end(&c);
}

static const struct {
	unsigned char code[8];
	bool is_stepped;
	const char *what;
} instructions[] = {
	{ { 0x55 }, false, "push %rbp" },
	{ { 0x41, 0x57 }, false, "push %r15" },
	{ { 0x90 }, false, "nop" },
	{ { 0xe9 }, false, "jmp" },
	{ { 0xeb }, false, "jmp short" },
	{ { 0xe8 }, false, "call" },
	{ { 0x74 }, false, "je" },
	{ { 0x0f, 0x84 }, false, "je, far" },
	{ { 0x48, 0x89, 0xf8 }, true, "mov" },
	{ { 0x48, 0x83, 0xec }, true, "sub" },
	{ { 0xf3, 0x0f, 0x1e, 0xfa }, true, "endbr64" },
	{ { 0xc3 }, true, "ret" },
	{ { 0x41, 0x89 }, true, "mov" },
};

Test(function_sites, first_instructions_that_are_stepped_are_known)
{
	for (size_t i = 0; i < COUNT(instructions); i++)
		cr_expect(eq(int, instruction_is_stepped(ARCH_X86_64, instructions[i].code, 8),
			     instructions[i].is_stepped),
			  "%s", instructions[i].what);
}
