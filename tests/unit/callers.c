// SPDX-License-Identifier: BSD-2-Clause
/* Callers: kinds of return addresses, by the exported functions that they are in. */
#include <elf.h>
#include <string.h>

#include "probe/callers.h"
#include "source_check.h"

#define AT(offset) (ELF_CODE + 0x40 + (offset))
#define SITE AT(0x200)

static const struct elf_symbol exported[] = {
	{ .name = "erts_send_message", .address = AT(0x00), .size = 0x10 },
	{ .name = "enif_send", .address = AT(0x18), .size = 0x08 },
	{ .name = "other_function", .address = AT(0x40), .size = 0x10 },
	{ .name = "erl_create_process", .address = AT(0x60), .size = 0x10 },
	/* Static code lies between these two, and behind the second. */
	{ .name = "db_create_hash", .address = AT(0x80), .size = 0x10 },
	{ .name = "ets_insert_2", .address = AT(0xc0), .size = 0x10 },
	{ .name = "esock_init", .address = AT(0x100), .size = 0x10 },
	/* Static code behind this one is of another kind than itself. */
	{ .name = "erts_proc_sig_send_to_alias", .address = AT(0x140), .size = 0x10 },
	{ .name = "zz_last", .address = AT(0x180), .size = 0x10 },
	{ .name = "copy_struct_x", .address = SITE, .size = 0x10 },
};

static struct erl_caller_range ranges[ERL_MAX_CALLERS];

static enum erl_caller kind_at(uint64_t address)
{
	int64_t distance = (int64_t)(address - SITE);

	for (size_t i = 0; i < ERL_MAX_CALLERS && ranges[i].kind; i++) {
		if (distance >= ranges[i].from && distance < ranges[i].to)
			return (enum erl_caller)ranges[i].kind;
	}
	return ERL_CALLER_OTHER;
}

static void find_in(const struct elf_symbol *symbols, size_t count)
{
	struct elf_spec spec = { .machine = EM_X86_64, .dynamic = symbols, .dynamic_count = count };
	struct checked_vm c;

	memset(ranges, 0, sizeof(ranges));
	vm_begin_with(&c, 25, FLAVOR_JIT, &spec);
	cr_assert(eq(int, callers_find(c.vm.image, SITE, ranges), 0));
	vm_end(&c);
}

Test(callers, an_address_has_the_kind_of_the_function_that_it_is_in)
{
	static const struct row {
		uint64_t address;
		enum erl_caller kind;
	} rows[] = {
		{ AT(0x00), ERL_CALLER_MESSAGE }, { AT(0x0f), ERL_CALLER_MESSAGE }, { AT(0x1f), ERL_CALLER_MESSAGE },
		{ AT(0x20), ERL_CALLER_OTHER },	  { AT(0x40), ERL_CALLER_OTHER },   { AT(0x60), ERL_CALLER_SPAWN },
		{ AT(0x70), ERL_CALLER_OTHER },	  { AT(0x80), ERL_CALLER_ETS },	    { AT(0xb0), ERL_CALLER_ETS },
		{ AT(0xff), ERL_CALLER_ETS },	  { AT(0x100), ERL_CALLER_OTHER },  { AT(0x140), ERL_CALLER_MESSAGE },
		{ AT(0x150), ERL_CALLER_SIGNAL }, { AT(0x17f), ERL_CALLER_SIGNAL }, { AT(0x180), ERL_CALLER_OTHER },
		{ SITE, ERL_CALLER_OTHER },
	};

	find_in(exported, COUNT(exported));
	for (size_t i = 0; i < COUNT(rows); i++)
		cr_expect(eq(int, (int)kind_at(rows[i].address), (int)rows[i].kind), "+0x%llx",
			  (unsigned long long)(rows[i].address - AT(0)));
}

Test(callers, what_is_too_much_is_of_no_kind)
{
	static struct elf_symbol many[4 * ERL_MAX_CALLERS];

	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (struct elf_symbol){
			.name = i % 2 ? "other" : "erl_create_process",
			.address = AT(i * 0x20),
			.size = 4,
		};
	find_in(many, COUNT(many));
	cr_expect(eq(u64, ranges[ERL_MAX_CALLERS - 1].kind, (uint64_t)ERL_CALLER_SPAWN));
	cr_expect(eq(int, (int)kind_at(AT((COUNT(many) - 2) * 0x20)), ERL_CALLER_OTHER));
}
