// SPDX-License-Identifier: BSD-2-Clause
/* Notes as a source, and the choice between notes and translators. */
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

#include "source_check.h"

static const struct elf_note notes[] = {
	{ "erlang", "message__send", "8@%rsi 8@%r8 8@%r13 -8@%rcx -8@%rax -8@%rdx", ELF_NOP, ELF_PROBES, 0 },
	{ "erlang", "message__send", "8@%rdi 8@(%rbx) 4@$3 -4@%eax -4@%ebx -4@%ecx", ELF_NOP_LATE, ELF_PROBES, 0 },
	{ "erlang", "process__scheduled", "8@%rax 8@%rbx", ELF_NOPS, ELF_PROBES + 2, 0 },
	{ "erlang", "process__port_unblocked", "8@%rax 8@%rbx", ELF_NOPS + 1, ELF_PROBES + 4, 0 },
	{ "erlang", "global__function__entry", "8@%rax 8@%rbx 4@%ecx", ELF_NOPS + 2, ELF_PROBES + 6, 0 },
	{ "erlang", "dist__port_busy", "8@erts_schedule(%rip) 8@%rax 8@%rbx 8@%rcx", ELF_NOP_NOP5, 0, 0 },
	{ "erlang", "copy__struct", "4f@%xmm0", ELF_NOPS + 3, 0, 0 },
	{ "erlang", "copy__object", "8@%rax 4@%ecx", ELF_NOPS + 4, 0, 0 },
	{ "erlang", "copy__object", "8@nothing(%rip) 4@%ecx", ELF_NOPS + 5, 0, 0 },
	{ "erlang", "user_trace__n950", "8@%rax 8@%rbx", ELF_NOPS + 6, 0, 0 },
	{ "erlang", "of_tomorrow", "8@%rax", ELF_NOPS + 7, 0, 0 },
	{ "erlang", "port__busy", "8@%rax 8@$1 8@$2 8@$3 8@$4 8@$5 8@$6 8@$7 8@$8 8@$9 8@$10 8@$11", ELF_NOPS + 8, 0,
	  0 },
	{ "other", "process__exit", "8@%rax 8@%rbx", ELF_NOPS + 9, 0, 0 },
};

static void begin(struct checked_vm *c, enum flavor flavor)
{
	vm_begin(c, 25, flavor, notes, COUNT(notes));
}

Test(source_usdt, a_note_gives_a_site_with_its_semaphore_operands_and_forms)
{
	static const uint8_t words[] = { 13, 9, 2, 11, 10, 12 };
	static const uint64_t forms[] = {
		ERL_FORM_TEXT,	 ERL_FORM_TEXT,	  ERL_FORM_NUMBER, ERL_FORM_NUMBER,
		ERL_FORM_NUMBER, ERL_FORM_NUMBER, ERL_FORM_NONE,
	};
	const struct site *site;
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "message-send", SOURCE_USDT);
	cr_assert(eq(sz, sites_of(&c, "message-send"), 2));
	site = site_of(&c, "message-send", 0);
	cr_expect(eq(int, (int)site->source, SOURCE_USDT));
	cr_expect(eq(u64, site->offset, ELF_CODE_OFFSET));
	cr_expect(eq(u64, site->semaphore, ELF_DATA_OFFSET));
	cr_expect(eq(ptr, check_pointer(site->translator), NULL));
	for (size_t i = 0; i < COUNT(words); i++)
		cr_expect(eq(u8, site->config.args[i].operand.reg, words[i]), "argument %zu", i);
	for (size_t i = 0; i < COUNT(forms); i++)
		cr_expect(eq(u64, site->config.args[i].form, forms[i]), "argument %zu", i);
	vm_end(&c);
}

Test(source_usdt, several_notes_of_a_probe_have_operands_of_their_own)
{
	const struct site *site;
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "message-send", SOURCE_ANY);
	site = site_of(&c, "message-send", 1);
	cr_assert(ne(ptr, check_pointer(site), NULL));
	cr_expect(eq(u64, site->offset, ELF_CODE_OFFSET + 0x28));
	cr_expect(eq(u8, site->config.args[0].operand.reg, 14));
	cr_expect(eq(u8, site->config.args[1].operand.steps, 1));
	cr_expect(eq(u8, site->config.args[2].operand.base, ERL_BASE_CONST));
	vm_end(&c);
}

Test(source_usdt, numbered_probes_are_found_by_their_notes)
{
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "user_trace-n*", SOURCE_USDT);
	cr_expect(eq(sz, c.list.count, 1));
	cr_expect(eq(sz, sites_of(&c, "user_trace-n950"), 1));
	vm_end(&c);
}

Test(source_usdt, notes_of_other_providers_and_unknown_probes_give_nothing)
{
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "process-exit", SOURCE_USDT);
	cr_expect(eq(sz, c.list.count, 0));
	expect_text(missing_of(&c, "process-exit", true), "the VM has no such note");
	vm_end(&c);
}

Test(source_usdt, arguments_that_the_probe_does_not_have_are_not_taken_for_a_state)
{
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "port-busy", SOURCE_USDT);
	cr_assert(eq(sz, c.list.count, 1));
	cr_expect(eq(u64, c.list.sites[0].config.args[0].form, ERL_FORM_TEXT));
	cr_expect(eq(u64, c.list.sites[0].config.args[ERL_ARG_STATE].form, ERL_FORM_NONE));
	vm_end(&c);
}

Test(source_usdt, a_symbol_is_at_its_distance_from_the_site)
{
	const struct image_symbol *symbol;
	const struct erl_operand *op;
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "dist-port_busy", SOURCE_USDT);
	symbol = image_symbol(c.vm.image, "erts_schedule");
	cr_assert(eq(sz, c.list.count, 1));
	op = &c.list.sites[0].config.args[0].operand;
	cr_expect(eq(u8, op->base, ERL_BASE_IP));
	cr_expect(eq(i64, op->disp[0], (int64_t)symbol->address - ELF_NOP_NOP5));
	vm_end(&c);
}

/* Linux would turn it into a call, which harms functions that keep variables below the stack pointer. */
Test(source_usdt, the_nop5_behind_a_nop_is_not_probed)
{
	const struct site *site;
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "dist-port_busy", SOURCE_USDT);
	site = site_of(&c, "dist-port_busy", 0);
	cr_assert(ne(ptr, check_pointer(site), NULL));
	cr_expect(eq(u64, site->offset, ELF_CODE_OFFSET + (ELF_NOP_NOP5 - ELF_CODE)));
	vm_end(&c);
}

Test(source_usdt, a_note_that_cannot_be_read_is_missing_with_its_offset_and_reason)
{
	struct checked_vm c;
	const char *why;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "copy-*", SOURCE_USDT);
	why = missing_of(&c, "copy-struct", true);
	cr_assert(ne(ptr, check_pointer(why), NULL));
	cr_expect(eq(int, strncmp(why, "the note at file offset 0x", 26), 0), "%s", why);
	cr_expect(ne(ptr, strstr(check_text(why), "floating-point arguments cannot be read"), NULL), "%s", why);
	why = missing_of(&c, "copy-object", true);
	cr_expect(ne(ptr, strstr(check_text(why), "a symbol is not in the file"), NULL), "%s", why);
	cr_expect(eq(sz, sites_of(&c, "copy-object"), 1));
	vm_end(&c);
}

static const struct {
	const char *probe;
	enum flavor flavor;
	enum source request, got; /* SOURCE_ANY: none */
} choices[] = {
	{ "message-send", FLAVOR_JIT, SOURCE_ANY, SOURCE_USDT },
	{ "message-send", FLAVOR_JIT, SOURCE_SYMBOL, SOURCE_SYMBOL },
	{ "message-send", FLAVOR_JIT, SOURCE_USDT, SOURCE_USDT },
	{ "process-scheduled", FLAVOR_JIT, SOURCE_ANY, SOURCE_SYMBOL },
	{ "process-scheduled", FLAVOR_JIT, SOURCE_USDT, SOURCE_USDT },
	{ "process-scheduled", FLAVOR_EMU, SOURCE_ANY, SOURCE_USDT },
	{ "process-scheduled", FLAVOR_EMU, SOURCE_SYMBOL, SOURCE_SYMBOL },
	{ "process-unscheduled", FLAVOR_EMU, SOURCE_ANY, SOURCE_SYMBOL },
	{ "process-spawn", FLAVOR_JIT, SOURCE_ANY, SOURCE_SYMBOL },
	{ "process-spawn", FLAVOR_JIT, SOURCE_USDT, SOURCE_ANY },
	{ "copy-object", FLAVOR_JIT, SOURCE_ANY, SOURCE_USDT },
	{ "copy-object", FLAVOR_JIT, SOURCE_SYMBOL, SOURCE_ANY },
	{ "driver-init", FLAVOR_JIT, SOURCE_ANY, SOURCE_ANY },
};

Test(source_usdt, the_better_source_is_taken_and_a_wish_is_obeyed)
{
	for (size_t i = 0; i < COUNT(choices); i++) {
		const struct site *site;
		struct checked_vm c;

		begin(&c, choices[i].flavor);
		vm_find(&c, choices[i].probe, choices[i].request);
		site = site_of(&c, choices[i].probe, 0);
		expect_text(source_name(site ? site->source : SOURCE_ANY), source_name(choices[i].got), "row %zu, %s",
			    i, choices[i].probe);
		if (!site && !missing_of(&c, choices[i].probe, true))
			cr_fail("%s is neither there nor missing", choices[i].probe);
		vm_end(&c);
	}
}

static void expect_denied(const char *probe, enum flavor flavor, bool allow, bool is_denied)
{
	struct site_request request = { .glob = probe, .allow_denied = allow };
	struct checked_vm c;
	const char *why;

	begin(&c, flavor);
	cr_assert(eq(int, site_list_make(&c.vm, &request, &c.list), 0));
	cr_expect(eq(sz, c.list.count, !is_denied), "%s", probe);
	why = missing_of(&c, probe, true);
	if (is_denied)
		cr_expect(eq(int, strncmp(check_text(why), "refused without --unsafe: ", 26), 0), "%s", why);
	else
		expect_text(why, NULL, "%s", probe);
	vm_end(&c);
}

Test(source_usdt, dangerous_probes_are_refused_unless_they_are_allowed)
{
	expect_denied("process-port_unblocked", FLAVOR_JIT, false, true);
	expect_denied("process-port_unblocked", FLAVOR_EMU, false, true);
	expect_denied("process-port_unblocked", FLAVOR_JIT, true, false);
	expect_denied("global-function-entry", FLAVOR_JIT, false, true);
	expect_denied("global-function-entry", FLAVOR_EMU, false, false);
	expect_denied("global-function-entry", FLAVOR_JIT, true, false);
}

Test(source_usdt, no_wildcard_enables_a_dangerous_probe)
{
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "*:*", SOURCE_ANY);
	cr_expect(eq(sz, sites_of(&c, "process-port_unblocked"), 0));
	cr_expect(eq(sz, sites_of(&c, "global-function-entry"), 0));
	vm_end(&c);
}

Test(source_usdt, every_probe_is_either_there_or_missing_with_a_reason)
{
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "*:*", SOURCE_ANY);
	for (uint32_t id = 0; id < probe_count(); id++) {
		char name[PROBE_NAME_SIZE];

		probe_name(id, name);
		cr_expect(sites_of(&c, name) || missing_of(&c, name, true), "%s", name);
	}
	vm_end(&c);
}

Test(source_usdt, numbered_probes_that_are_missing_alike_are_told_in_one)
{
	struct checked_vm c;
	int64_t first = probe_find("erlang", "user_trace-n0");

	begin(&c, FLAVOR_JIT);
	vm_find(&c, "user_trace-n*", SOURCE_USDT);
	cr_assert(eq(sz, c.list.missing_count, 1));
	cr_expect(eq(i64, c.list.missing[0].probe, first));
	cr_expect(eq(i64, c.list.missing[0].last, first + 949));
	vm_end(&c);
}

Test(source_usdt, a_note_that_misleads_is_not_taken_where_nothing_repairs_it)
{
	static const struct elf_spec spec = { .notes = notes, .note_count = 3 };
	struct checked_vm c;

	vm_begin_with(&c, 25, FLAVOR_JIT, &spec);
	vm_find(&c, "process-scheduled", SOURCE_ANY);
	cr_expect(eq(sz, c.list.count, 0));
	cr_expect(ne(ptr, check_pointer(missing_of(&c, "process-scheduled", true)), NULL));
	vm_end(&c);
}

Test(source_usdt, the_layout_of_pids_goes_to_every_site)
{
	struct erl_pid_layout layout = { .data_bits = 28, .number_bits = 15 };
	struct site_request request = { .glob = "*", .pids = &layout };
	struct checked_vm c;

	begin(&c, FLAVOR_JIT);
	cr_assert(eq(int, site_list_make(&c.vm, &request, &c.list), 0));
	cr_assert(gt(sz, c.list.count, 10));
	for (size_t i = 0; i < c.list.count; i++)
		cr_expect(eq(int, memcmp(&c.list.sites[i].config.pids, &layout, sizeof(layout)), 0), "%zu", i);
	vm_end(&c);
}

static const struct elf_symbol functions[] = {
	{ .name = "erts_send_message", .address = ELF_CODE },
	{ .name = "enif_send", .address = ELF_CODE },
	{ .name = "erts_proc_sig_send_to_alias", .address = ELF_CODE },
};

Test(source_usdt, without_a_good_section_of_notes_functions_are_used, .init = cr_redirect_stderr)
{
	static const struct elf_spec spec = {
		.dynamic = functions,
		.dynamic_count = 3,
		.raw_notes = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		.raw_size = 12,
	};
	struct checked_vm c;

	vm_begin_with(&c, 25, FLAVOR_JIT, &spec);
	vm_find(&c, "message-send", SOURCE_ANY);
	cr_expect(eq(sz, sites_of(&c, "message-send"), 3));
	cr_expect(eq(int, (int)site_of(&c, "message-send", 0)->source, SOURCE_SYMBOL));
	vm_end(&c);
}

Test(source_usdt, a_bad_note_is_told_once_however_often_it_is_looked_for, .init = cr_redirect_stderr)
{
	static const struct elf_note bad = { "erlang", "message__send", "", ELF_MOV, 0, 0 };
	static const struct elf_spec spec = { .notes = &bad, .note_count = 1 };
	struct elf_made file;
	struct checked_vm c;
	char expected[128];

	elf_build(&spec, &file);
	vm_begin_with(&c, 25, FLAVOR_JIT, &spec);
	vm_find(&c, "message-send", SOURCE_USDT);
	site_list_free(&c.list);
	vm_find(&c, "*:*", SOURCE_USDT);
	vm_end(&c);
	snprintf(expected, sizeof(expected),
		 "erlbpf: warning: a note is not used: file offset 0x%llx of inode 0: "
		 "its site is not a nop of one byte\n",
		 (unsigned long long)elf_section(&file, ".note.stapsdt")->sh_offset);
	elf_free(&file);
	fflush(stderr);
	cr_assert_stderr_eq_str(expected);
}
