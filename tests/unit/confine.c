// SPDX-License-Identifier: BSD-2-Clause
/* What is taken out of programs that run for a user without rights. */
#include "load/optimiser/code_confine.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "d/check/check.h"
#include "d/compile.h"
#include "d/lang/builtins.h"
#include "d/lang/unit.h"

#define CALL(helper) ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .imm = (helper) })

static struct bpf_insn confined(struct bpf_insn insn, enum code_reads reads)
{
	struct bpf_insn insns[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K }, insn, { .code = BPF_JMP | BPF_EXIT } };

	code_confine(insns, 3, reads);
	cr_assert(eq(int, insns[0].code, BPF_ALU64 | BPF_MOV | BPF_K));
	cr_assert(eq(int, insns[2].code, BPF_JMP | BPF_EXIT));
	return insns[1];
}

static bool fails(struct bpf_insn insn)
{
	return insn.code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn.dst_reg == BPF_REG_0 && insn.imm == -EPERM;
}

static bool is_call(struct bpf_insn insn, int helper)
{
	return insn.code == (BPF_JMP | BPF_CALL) && insn.imm == helper;
}

TestSuite(confine);

Test(confine, without_limits_nothing_changes)
{
	for (int helper = 1; helper < 212; helper++)
		cr_assert(is_call(confined(CALL(helper), CODE_READS_ALL), helper));
}

Test(confine, an_address_is_one_of_the_process_or_of_nothing)
{
	static const struct {
		int helper, becomes;
	} readers[] = {
		{ BPF_FUNC_probe_read, BPF_FUNC_probe_read_user },
		{ BPF_FUNC_probe_read_str, BPF_FUNC_probe_read_user_str },
		{ BPF_FUNC_probe_read_user, BPF_FUNC_probe_read_user },
		{ BPF_FUNC_probe_read_user_str, BPF_FUNC_probe_read_user_str },
		{ BPF_FUNC_get_stack, BPF_FUNC_get_stack },
	};

	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		cr_assert(is_call(confined(CALL(readers[i].helper), CODE_READS_PROCESS), readers[i].becomes));
		cr_assert(fails(confined(CALL(readers[i].helper), CODE_READS_NOTHING)));
	}
}

Test(confine, nothing_is_written_and_no_signal_sent)
{
	static const int helpers[] = { BPF_FUNC_probe_write_user, BPF_FUNC_send_signal, BPF_FUNC_send_signal_thread };

	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
		cr_assert(fails(confined(CALL(helpers[i]), CODE_READS_PROCESS)));
		cr_assert(fails(confined(CALL(helpers[i]), CODE_READS_NOTHING)));
	}
}

Test(confine, what_is_no_call_of_a_helper_stays)
{
	struct bpf_insn own = CALL(BPF_FUNC_probe_read), number = { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 4 };

	own.src_reg = BPF_PSEUDO_CALL;
	own = confined(own, CODE_READS_NOTHING);
	number = confined(number, CODE_READS_NOTHING);
	cr_assert(is_call(own, BPF_FUNC_probe_read));
	cr_assert(eq(int, number.imm, 4));
}

/* The language: what is new in it is refused until somebody has thought of it. */

static const char *tag_of(const char *text, bool is_confined)
{
	const struct unit_options options = { .strsize = 256, .is_confined = is_confined };
	struct parse_input input = { .text = text, .size = strlen(text) };
	struct unit *unit = unit_new(&options);
	static char tag[32];

	cr_assert(ne(ptr, unit, NULL));
	if (unit_add(unit, &input))
		unit_check(unit);
	snprintf(tag, sizeof(tag), "%s", unit->diag.first ? unit->diag.first->tag : "");
	unit_free(unit);
	return tag;
}

static const struct {
	const char *text, *tag;
} programs[] = {
	{ "BEGIN { x = 1; @[probename] = sum(timestamp); printf(\"%d\", x); }", "" },
	{ "erlang*:::process-spawn { @[copyinstr(arg0), pid, execname] = count(); }", "" },
	{ "vm*:::*, app*:::pay { trace(arg0); ustack(); }", "" },
	{ "tick-1s { trace(pid); }", "D_PRIVS" },
	{ "erlang*:::process-spawn, tick-1s { trace(pid); }", "D_PRIVS" },
	{ ":::process-spawn { trace(pid); }", "D_PRIVS" },
	{ "tick-1s /uid == 0/ { }", "D_PRIVS" },
	{ "tick-1s { self->x = uregs[R_RIP]; }", "D_PRIVS" },
	{ "tick-1s { trace(args[0]); }", "D_PRIVS" },
	{ "erlang*:::process-spawn { trace(curthread->pid); }", "D_PRIVS" },
	{ "erlang*:::process-spawn { @[stack()] = count(); }", "D_PRIVS" },
	{ "erlang*:::process-spawn { stop(); }", "D_PRIVS" },
	{ "erlang*:::process-spawn { trace(&`ksys_read); }", "D_PRIVS" },
	{ "inline int read = *(int *)&`ksys_read; erlang*:::process-spawn { trace(read); }", "D_PRIVS" },
	{ "inline int me = pid; tick-1s { trace(me); }", "D_PRIVS" },
	{ "inline int me = pid; erlang*:::process-spawn { trace(me); }", "" },
};

Test(confine, a_program_has_what_is_the_users)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		cr_expect(eq(str, (char *)tag_of(programs[i].text, true), (char *)programs[i].tag), "%s",
			  programs[i].text);
}

Test(confine, root_has_all_of_it)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		cr_expect(ne(str, (char *)tag_of(programs[i].text, false), (char *)"D_PRIVS"), "%s", programs[i].text);
}
