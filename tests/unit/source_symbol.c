// SPDX-License-Identifier: BSD-2-Clause
/* Translators: every row of probes/translators.def, on every release and flavor that it names. */
#include <errno.h>
#include <string.h>

#include "node/memory/fields.h"
#include "source_check.h"

static const int releases[] = { 25, 26, 27, 28, 29 };

static const struct elf_note note[] = { { "erlang", "driver__init", "8@%rax", ELF_NOP, 0, 0 } };

/* How many rows answer for a probe on a release, under the JIT. */
static size_t count_rows(const struct rows *rows, const char *probe, int otp)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->count; i++)
		count += !strcmp(rows->rows[i].probe, probe) && rows->rows[i].flavor != FLAVOR_EMU &&
			 row_is_for(&rows->rows[i], otp);
	return count;
}

Test(source_symbol, every_row_names_a_probe_a_function_and_releases_that_are_known)
{
	static struct rows rows;

	rows_read(&rows);
	cr_assert(gt(sz, rows.count, 20));
	for (size_t i = 0; i < rows.count; i++) {
		char name[PROBE_NAME_SIZE];

		cr_expect(ge(i64, probe_find(NULL, row_first_probe(rows.rows[i].probe, name)), 0), "%s",
			  rows.rows[i].probe);
		cr_expect(gt(sz, strlen(rows.rows[i].function), 4), "%s", rows.rows[i].probe);
		cr_expect(gt(sz, rows.rows[i].otp_count, 0), "%s", rows.rows[i].probe);
		for (size_t n = 0; n < rows.rows[i].otp_count; n++)
			cr_expect(ge(int, rows.rows[i].otp[n], 25), "%s", rows.rows[i].probe);
	}
}

Test(source_symbol, releases_on_which_tests_run_are_told_from_those_that_are_presumed)
{
	for (size_t i = 0; i < COUNT(releases); i++)
		cr_expect(eq(int, translator_is_checked(releases[i]),
			     releases[i] == 25 || releases[i] == 27 || releases[i] == 29),
			  "OTP %d", releases[i]);
	cr_expect(eq(int, translator_is_checked(0), false));
}

static void expect_rows(const struct rows *rows, int otp, bool has_notes)
{
	struct checked_vm c;

	vm_begin(&c, otp, FLAVOR_JIT, note, has_notes);
	vm_find(&c, "*:*", SOURCE_SYMBOL);
	for (size_t i = 0; i < probe_def_count; i++) {
		char buf[PROBE_NAME_SIZE];
		const char *name = row_first_probe(probe_defs[i].name, buf);
		size_t expected = count_rows(rows, probe_defs[i].name, otp);

		cr_expect(eq(sz, sites_of(&c, name), expected), "%s on OTP %d, notes %d", name, otp, has_notes);
		if (!expected && probe_defs[i].last < 0)
			cr_expect(ne(ptr, check_pointer(missing_of(&c, name, true)), NULL), "%s", name);
	}
	vm_end(&c);
}

Test(source_symbol, every_row_gives_a_site_on_every_release_it_names)
{
	static struct rows rows;

	rows_read(&rows);
	for (size_t i = 0; i < COUNT(releases); i++) {
		expect_rows(&rows, releases[i], false);
		expect_rows(&rows, releases[i], true);
	}
}

Test(source_symbol, every_row_parses_on_each_flavor_and_architecture)
{
	static const uint16_t machines[] = { EM_X86_64, EM_AARCH64 };

	for (size_t i = 0; i < COUNT(releases) * 4; i++) {
		struct checked_vm c;

		vm_begin_on(&c, machines[i & 1], releases[i / 4], i & 2 ? FLAVOR_JIT : FLAVOR_EMU, NULL, 0);
		vm_find(&c, "*:*", SOURCE_SYMBOL);
		cr_expect(gt(sz, c.list.count, 5), "OTP %d", releases[i / 4]);
		vm_end(&c);
	}
}

Test(source_symbol, what_a_row_cannot_give_is_listed_as_missing)
{
	static struct rows rows;
	struct checked_vm c;

	rows_read(&rows);
	vm_begin(&c, 25, FLAVOR_JIT, NULL, 0);
	vm_find(&c, "*:*", SOURCE_SYMBOL);
	for (size_t i = 0; i < rows.count; i++) {
		const char *probe = rows.rows[i].probe, *why = missing_of(&c, probe, false);

		if (row_is_for(&rows.rows[i], 25) && rows.rows[i].has_missing)
			cr_expect(ne(ptr, check_pointer(why), NULL), "%s", probe);
		expect_text(missing_of(&c, probe, true), NULL, "%s", probe);
	}
	vm_end(&c);
}

/* An argument either has an operand and a form, or neither. */
static void expect_forms(const struct site *site)
{
	const struct probe_def *def = probe_def(site->probe);
	bool uses_saved = site->config.flags & ERL_CONFIG_USES_SAVED;
	bool has_guards = site->config.flags & ERL_CONFIG_HAS_GUARDS;
	bool knows_any = false;

	for (int i = 0; i < ERL_ARG_STATE; i++) {
		const struct erl_arg *arg = &site->config.args[i];
		bool has_operand = arg->operand.base != ERL_BASE_NONE;

		knows_any |= has_operand;
		/* The VM's own node is where all programs know it to be. */
		cr_expect(eq(int, has_operand, arg->form != ERL_FORM_NONE && arg->form != ERL_FORM_OWN_NODE),
			  "%s, argument %d", def->name, i);
		if (has_operand && i < def->argc && arg->form != ERL_FORM_MFA)
			cr_expect(eq(int,
				     arg->form == ERL_FORM_TERM || arg->form == ERL_FORM_TEXT ||
					     arg->form == ERL_FORM_IODATA,
				     probe_arg_is_text(&def->args[i]) || probe_arg_is_term(&def->args[i])),
				  "%s, argument %d", def->name, i);
	}
	/* How long the call took may be all that a return tells. */
	cr_expect(not(site->at_return && !knows_any && !site->translator), "%s", def->name);
	cr_expect(site->at_return || !uses_saved, "%s saves at an entry", def->name);
	cr_expect(eq(int, has_guards, site->config.guards[0].compare != ERL_GUARD_NONE), "%s", def->name);
}

Test(source_symbol, arguments_have_operands_and_forms_that_fit_the_catalogue)
{
	for (size_t n = 0; n < COUNT(releases); n++) {
		struct checked_vm c;

		vm_begin(&c, releases[n], FLAVOR_JIT, NULL, 0);
		vm_find(&c, "*:*", SOURCE_SYMBOL);
		for (size_t i = 0; i < c.list.count; i++) {
			expect_forms(&c.list.sites[i]);
			cr_expect(ne(ptr, check_pointer(c.list.sites[i].translator), NULL));
			cr_expect(eq(u64, c.list.sites[i].semaphore, 0));
			cr_expect(ge(u64, c.list.sites[i].offset, ELF_CODE_OFFSET + 0x40));
		}
		vm_end(&c);
	}
}

Test(source_symbol, message_send_reads_the_ids_of_both_processes)
{
	const struct site *site;
	struct checked_vm c;

	vm_begin(&c, 25, FLAVOR_JIT, NULL, 0);
	vm_find(&c, "message-send", SOURCE_SYMBOL);
	site = site_of(&c, "message-send", 0);
	cr_assert(ne(ptr, check_pointer(site), NULL));
	expect_text(translator_function(site->translator), "erts_send_message");
	cr_expect(eq(int, site->at_return, 0));
	for (int i = 0; i < 2; i++) {
		const struct erl_operand *op = &site->config.args[i].operand;

		cr_expect(eq(u8, op->base, ERL_BASE_REG));
		cr_expect(eq(u8, op->reg, i ? 13 : 14), "%%rdi and %%rsi");
		cr_expect(eq(u8, op->steps, 1));
		cr_expect(eq(i64, op->disp[0], 0));
		cr_expect(eq(u64, site->config.args[i].form, ERL_FORM_TERM));
	}
	cr_expect(eq(u64, site->config.args[2].form, ERL_FORM_NONE));
	cr_expect(eq(u64, site->config.local_ids, 3));
	vm_end(&c);
}

/* A bit for each argument that is one. */
Test(source_symbol, pids_and_ports_of_this_node_are_told_from_other_terms)
{
	static const struct {
		const char *probe;
		uint64_t ids;
	} wanted[] = {
		{ "port-open", 5 },    { "port-connect", 0xb },	   { "port-busy", 1 },	   { "port-exit", 2 },
		{ "process-exit", 1 }, { "process-heap_grow", 1 }, { "process-spawn", 0 },
	};

	for (size_t i = 0; i < COUNT(wanted); i++) {
		const struct site *site;
		struct checked_vm c;

		vm_begin(&c, 25, FLAVOR_JIT, NULL, 0);
		vm_find(&c, wanted[i].probe, SOURCE_SYMBOL);
		site = site_of(&c, wanted[i].probe, 0);
		cr_assert(ne(ptr, check_pointer(site), NULL), "%s", wanted[i].probe);
		cr_expect(eq(u64, site->config.local_ids, wanted[i].ids), "%s", wanted[i].probe);
		vm_end(&c);
	}
}

Test(source_symbol, process_scheduled_is_the_return_of_erts_schedule_unless_it_is_null)
{
	const struct site *site;
	struct checked_vm c;

	vm_begin(&c, 27, FLAVOR_JIT, NULL, 0);
	vm_find(&c, "process-scheduled", SOURCE_SYMBOL);
	site = site_of(&c, "process-scheduled", 0);
	cr_assert(ne(ptr, check_pointer(site), NULL));
	cr_expect(site->at_return);
	cr_expect(eq(u64, site->config.guards[0].compare, ERL_GUARD_NE));
	cr_expect(eq(u64, site->config.guards[0].mask, UINT64_MAX));
	cr_expect(eq(u8, site->config.guards[0].left.base, ERL_BASE_REG));
	cr_expect(eq(u8, site->config.guards[0].left.reg, 10), "%%rax");
	cr_expect(eq(u8, site->config.guards[0].right.base, ERL_BASE_CONST));
	cr_expect(eq(i64, site->config.guards[0].right.disp[0], 0));
	cr_expect(eq(u64, site->config.guards[1].compare, ERL_GUARD_NONE));
	vm_end(&c);
}

static const struct {
	int otp;
	bool has_notes;
	int64_t gen_gcs, flags; /* offsets in struct process */
} processes[] = {
	{ 25, false, 528, 288 }, { 25, true, 544, 288 },  { 27, false, 484, 124 },
	{ 27, true, 484, 124 },	 { 29, false, 484, 124 }, { 29, true, 484, 124 },
};

Test(source_symbol, offsets_are_those_of_the_release_with_and_without_notes)
{
	for (size_t i = 0; i < COUNT(processes); i++) {
		const struct site *start, *end;
		struct checked_vm c;

		vm_begin(&c, processes[i].otp, FLAVOR_JIT, note, processes[i].has_notes);
		vm_find(&c, "gc_minor-*", SOURCE_SYMBOL);
		start = site_of(&c, "gc_minor-start", 0);
		end = site_of(&c, "gc_minor-end", 0);
		cr_assert(start && end);
		cr_expect(eq(i64, start->config.guards[0].left.disp[0], processes[i].gen_gcs), "row %zu", i);
		cr_expect(eq(i64, start->config.guards[0].right.disp[0], processes[i].gen_gcs + 2), "row %zu", i);
		cr_expect(eq(u8, start->config.guards[0].left.size, 2), "row %zu", i);
		cr_expect(eq(i64, start->config.guards[1].left.disp[0], processes[i].flags), "row %zu", i);
		cr_expect(eq(u8, start->config.guards[1].left.size, 4), "row %zu", i);
		cr_expect(eq(u64, start->config.guards[1].mask, 0x2810), "row %zu", i);
		cr_expect(eq(u64, start->config.guards[1].compare, ERL_GUARD_EQ), "row %zu", i);
		cr_expect(eq(u8, start->config.guards[1].right.base, ERL_BASE_CONST), "row %zu", i);
		cr_expect(eq(u64, start->config.flags & ERL_CONFIG_USES_SAVED, 0), "row %zu", i);
		cr_expect(eq(i64, end->config.guards[0].left.disp[0], processes[i].gen_gcs), "row %zu", i);
		cr_expect(ne(u64, end->config.flags & ERL_CONFIG_USES_SAVED, 0), "row %zu", i);
		vm_end(&c);
	}
}

static const struct {
	int otp;
	bool has_notes;
	int64_t state; /* offset in struct process, 0: not known */
} states[] = {
	{ 25, false, 640 }, { 25, true, 656 },	{ 27, false, 624 }, { 27, true, 624 },
	{ 28, false, 0 },   { 29, false, 624 }, { 29, true, 624 },
};

Test(source_symbol, the_state_of_a_receiver_is_read_where_its_place_is_known)
{
	for (size_t i = 0; i < COUNT(states); i++) {
		const struct erl_arg *arg;
		struct checked_vm c;

		vm_begin(&c, states[i].otp, FLAVOR_JIT, note, states[i].has_notes);
		vm_find(&c, "message-send", SOURCE_SYMBOL);
		cr_assert(ge(sz, c.list.count, 1));
		arg = &c.list.sites[0].config.args[ERL_ARG_STATE];
		cr_expect(eq(u64, arg->form, states[i].state ? ERL_FORM_NUMBER : ERL_FORM_NONE), "row %zu", i);
		cr_expect(eq(i64, arg->operand.disp[0], states[i].state), "row %zu", i);
		cr_expect(eq(u8, arg->operand.size, states[i].state ? 4 : 0), "row %zu", i);
		vm_end(&c);
	}
}

Test(source_symbol, a_field_is_known_for_its_releases_only)
{
	struct vm vm = { .otp = 25, .like = 25 };
	int64_t offset = -1;

	cr_expect(eq(int, field_offset(&vm, "process.state", &offset), 0));
	cr_expect(eq(i64, offset, 640));
	vm.has_notes = true;
	cr_expect(eq(int, field_offset(&vm, "process.state", &offset), 0));
	cr_expect(eq(i64, offset, 656));
	cr_expect(eq(int, field_offset(&vm, "process.nothing", &offset), -ENOENT));
	vm.otp = vm.like = 24;
	cr_expect(eq(int, field_offset(&vm, "process.state", &offset), -ENOENT));
	cr_expect(eq(int, field_offset(&vm, "process.id", &offset), 0));
	cr_expect(eq(i64, offset, 0));
}

static void expect_missing(int otp, enum flavor flavor, const struct elf_spec *spec, const char *probe, const char *why)
{
	struct checked_vm c;

	vm_begin_with(&c, otp, flavor, spec);
	vm_find(&c, probe, SOURCE_SYMBOL);
	cr_expect(eq(sz, c.list.count, 0), "%s", probe);
	expect_text(missing_of(&c, probe, true), why, "%s", probe);
	vm_end(&c);
}

Test(source_symbol, a_row_gives_nothing_unless_its_function_is_exported_code)
{
	static const char why[] = "the VM does not export erts_schedule";
	static const struct elf_symbol symbols[] = {
		{ .name = "erts_schedule" },
		{ .name = "erts_schedule", .address = ELF_DATA, .size = 8 },
		{ .name = "erts_schedule", .address = ELF_CODE, .size = 8, .type = STT_OBJECT },
		{ .name = "erts_schedules", .address = ELF_CODE, .size = 8 },
	};

	for (size_t i = 0; i < COUNT(symbols); i++) {
		struct elf_spec spec = { .dynamic = &symbols[i], .dynamic_count = 1 };

		expect_missing(25, FLAVOR_JIT, &spec, "process-scheduled", why);
	}
}

Test(source_symbol, a_function_whose_callers_matter_is_not_probed_where_none_of_them_is_known)
{
	static const struct elf_symbol statics[] = {
		{ .name = "copy_struct_x", .address = ELF_CODE, .size = 8, .is_local = true },
		{ .name = "copy_shallow_x", .address = ELF_CODE + 16, .size = 8, .is_local = true },
	};
	static const struct elf_spec spec = { .all = statics, .all_count = COUNT(statics) };

	expect_missing(29, FLAVOR_JIT, &spec, "term-copy", "the VM does not export copy_struct_x");
}

/* Messages from NIFs alone would be taken for all. */
Test(source_symbol, a_probe_of_which_one_function_is_hidden_has_no_site)
{
	static const struct elf_symbol of_nifs = { .name = "enif_send", .address = ELF_CODE, .size = 8 };
	static const struct elf_spec spec = { .dynamic = &of_nifs, .dynamic_count = 1 };

	expect_missing(25, FLAVOR_JIT, &spec, "message-send", "the VM does not export erts_send_message");
}

Test(source_symbol, a_release_that_was_not_checked_is_named)
{
	static const struct elf_spec none = {};

	expect_missing(24, FLAVOR_JIT, &none, "message-send", "it has no translator for OTP 24 (jit)");
	expect_missing(26, FLAVOR_EMU, &none, "gc_minor-start", "it has no translator for OTP 26 (emu)");
	expect_missing(25, FLAVOR_JIT, &none, "driver-init", "no translator");
	expect_missing(25, FLAVOR_JIT, &none, "driver-event",
		       "OTP has removed the callback; the probe is declared but has no site.");
}

Test(source_symbol, a_vm_that_exports_nothing_of_its_own_is_told_as_such)
{
	static const struct elf_spec none = {};
	struct checked_vm c;

	vm_begin_with(&c, 29, FLAVOR_JIT, &none);
	c.vm.has_functions = false;
	vm_find(&c, "message-send", SOURCE_SYMBOL);
	expect_text(missing_of(&c, "message-send", true), "the VM exports no functions of its own (OTP 29 and later)");
	vm_end(&c);
}
