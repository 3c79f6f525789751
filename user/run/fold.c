// SPDX-License-Identifier: BSD-2-Clause
/*
 * Constants are followed along all the ways that a program can take, from its beginning and with what is known there:
 * nothing (Wegman and Zadeck, "Constant Propagation with Conditional Branches", 1991). A branch whose outcome is known
 * opens one way, others both, and where ways meet, holds what both know; a way that knows less than those before it
 * is gone again. What no way has reached is left out, and distances are written anew.
 */
#include "run/fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "run/fold_state.h"

/* Of an instruction. */
struct mark {
	struct fold_state *before;	/* where ways meet, as far as they came; NULL: none has, or they do not meet */
	bool is_target, is_function, is_reached, is_open, is_kept;
	unsigned char decision;
	uint32_t at;			/* where it will be */
	int16_t shared_from;		/* of the function that begins here: see struct fold_setting */
};

struct folding {
	struct fold_program *program;
	struct fold_setting setting;
	struct mark *marks;		/* one more than there are instructions */
	uint32_t *open;			/* to be gone on from */
	size_t open_count;
};

/* What instructions are. */

static bool is_wide(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

static bool is_call_of_own(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && insn->src_reg == BPF_PSEUDO_CALL;
}

static bool is_function_address(const struct bpf_insn *insn)
{
	return is_wide(insn) && insn->src_reg == BPF_PSEUDO_FUNC;
}

static bool is_branch(const struct bpf_insn *insn)
{
	unsigned char class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

static bool is_always(const struct bpf_insn *insn)
{
	return is_branch(insn) && BPF_OP(insn->code) == BPF_JA;
}

static bool is_exit(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_EXIT);
}

/* Where a branch, a call of an own function or the address of one leads; -1 for others. */
static int64_t target_of(const struct bpf_insn *insn, size_t i)
{
	if (is_branch(insn))
		return (int64_t)i + 1 + insn->off;
	if (is_call_of_own(insn) || is_function_address(insn))
		return (int64_t)i + 1 + insn->imm;
	return -1;
}

static size_t next_of(const struct bpf_insn *insn, size_t i)
{
	return i + (is_wide(insn) ? 2 : 1);
}

/* What ways meet where. */

static int mark_targets(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;

	f->marks[0].is_target = f->marks[0].is_function = true;
	for (size_t i = 0; i < f->program->count; i = next_of(&insns[i], i)) {
		int64_t target = target_of(&insns[i], i);

		/* A long jump, of later compilers, has its distance elsewhere. */
		if (insns[i].code == (BPF_JMP32 | BPF_JA) || insns[i].dst_reg >= FOLD_REGISTERS ||
		    insns[i].src_reg >= FOLD_REGISTERS || target >= (int64_t)f->program->count ||
		    next_of(&insns[i], i) > f->program->count)
			return -EINVAL;
		if (target < 0)
			continue;
		f->marks[target].is_target = true;
		f->marks[target].is_function |= !is_branch(&insns[i]);
	}
	return 0;
}

/*
 * An address of the stack is made: of what lies there, by what is added next. Whoever is given it may write there and
 * above, but not below, where the compiler keeps registers.
 */
static int16_t shared_at(const struct folding *f, size_t i)
{
	const struct bpf_insn *insns = f->program->insns;
	unsigned char address = insns[i].dst_reg;

	if (insns[i].code != (BPF_ALU64 | BPF_MOV | BPF_X) || insns[i].off)
		return INT16_MIN;
	for (i++; i < f->program->count && !f->marks[i].is_target; i = next_of(&insns[i], i)) {
		if (insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) && insns[i].dst_reg == address)
			return insns[i].imm < 0 && insns[i].imm > INT16_MIN ? (int16_t)insns[i].imm : INT16_MIN;
		if (is_branch(&insns[i]) || insns[i].dst_reg == address || insns[i].src_reg == address ||
		    BPF_CLASS(insns[i].code) == BPF_JMP)
			break;
	}
	return INT16_MIN;
}

/* Other than as the base of a load or a store. */
static bool gives_stack(const struct bpf_insn *insn)
{
	return insn->src_reg == BPF_REG_10 && BPF_CLASS(insn->code) != BPF_LDX && BPF_CLASS(insn->code) != BPF_LD;
}

static void find_shared(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;
	int16_t *shared = &f->marks[0].shared_from;

	for (size_t i = 0; i < f->program->count; i = next_of(&insns[i], i)) {
		if (f->marks[i].is_function)
			shared = &f->marks[i].shared_from;
		if (gives_stack(&insns[i]) && shared_at(f, i) < *shared)
			*shared = shared_at(f, i);
	}
	/* Each of a function's instructions knows. */
	for (size_t i = 1; i < f->program->count; i++) {
		if (!f->marks[i].is_function)
			f->marks[i].shared_from = f->marks[i - 1].shared_from;
	}
}

/* Going all ways. */

static void go_on_from(struct folding *f, size_t i)
{
	if (f->marks[i].is_open)
		return;
	f->marks[i].is_open = true;
	f->open[f->open_count++] = (uint32_t)i;
}

/* A way comes to a place where others may come. */
static int come_to(struct folding *f, size_t i, const struct fold_state *state)
{
	struct mark *mark = &f->marks[i];

	if (mark->before) {
		if (fold_meet(mark->before, state))
			go_on_from(f, i);
		return 0;
	}
	mark->before = malloc(sizeof(*mark->before));
	if (!mark->before)
		return -ENOMEM;
	*mark->before = *state;
	go_on_from(f, i);
	return 0;
}

/*
 * Of its arguments it knows nothing, even if they are the same at every call: the verifier looks at a global function
 * without its callers, and wants the checks that they make needless.
 */
static int come_to_function(struct folding *f, size_t i)
{
	struct fold_state nothing;

	fold_forget(&nothing);
	return come_to(f, i, &nothing);
}

/* One instruction; where the way goes on, or 0 if it ends. */
static int go(struct folding *f, size_t i, struct fold_state *state, size_t *next)
{
	const struct bpf_insn *insn = &f->program->insns[i];
	struct mark *mark = &f->marks[i];
	int err = 0;

	mark->is_reached = true;
	*next = next_of(insn, i);
	if (is_exit(insn)) {
		*next = 0;
		return 0;
	}
	if (is_branch(insn)) {
		mark->decision = is_always(insn) ? FOLD_TAKEN : (unsigned char)fold_decide(insn, state);
		if (mark->decision != FOLD_NOT_TAKEN)
			err = come_to(f, (size_t)target_of(insn, i), state);
		if (mark->decision == FOLD_TAKEN)
			*next = 0;
		return err;
	}
	if (target_of(insn, i) >= 0)
		err = come_to_function(f, (size_t)target_of(insn, i));
	f->setting.shared_from = mark->shared_from;
	fold_step(&f->setting, insn, state);
	return err;
}

static int go_way(struct folding *f, size_t i)
{
	struct fold_state state = *f->marks[i].before;
	int err;

	f->marks[i].is_open = false;
	for (;;) {
		err = go(f, i, &state, &i);
		if (err || !i)
			return err;
		if (i >= f->program->count)
			return -EINVAL;
		if (f->marks[i].is_target)
			return come_to(f, i, &state);
	}
}

static int go_all_ways(struct folding *f)
{
	int err = come_to_function(f, 0);

	while (!err && f->open_count)
		err = go_way(f, f->open[--f->open_count]);
	return err;
}

/* Leaving out. */

/* A branch that is never taken is nothing, and one that leads to what comes next is neither. */
static bool is_needed(const struct folding *f, size_t i, size_t next_kept)
{
	const struct bpf_insn *insn = &f->program->insns[i];
	const struct mark *mark = &f->marks[i];

	if (!mark->is_reached || mark->decision == FOLD_NOT_TAKEN)
		return false;
	return mark->decision != FOLD_TAKEN || target_of(insn, i) <= (int64_t)i ||
	       (int64_t)next_kept < target_of(insn, i);
}

static void keep(struct folding *f)
{
	size_t next_kept = f->program->count;

	/* The second halves of wide instructions are not reached. */
	for (size_t i = f->program->count; i-- > 0;) {
		f->marks[i].is_kept = is_needed(f, i, next_kept);
		if (f->marks[i].is_kept)
			next_kept = i;
	}
}

static void number_kept(struct folding *f)
{
	const struct bpf_insn *insns = f->program->insns;
	uint32_t at = 0;
	size_t next;

	for (size_t i = 0; i < f->program->count; i = next) {
		next = next_of(&insns[i], i);
		for (size_t part = i; part < next; part++)
			f->marks[part].at = at;
		at += f->marks[i].is_kept ? (uint32_t)(next - i) : 0;
	}
	f->marks[f->program->count].at = at;
}

static void redirect(const struct folding *f, struct bpf_insn *insn, size_t i)
{
	int64_t target = target_of(insn, i);
	int32_t distance;

	if (target < 0)
		return;
	distance = (int32_t)(f->marks[target].at - f->marks[i].at) - 1;
	if (!is_branch(insn)) {
		insn->imm = distance;
		return;
	}
	if (f->marks[i].decision == FOLD_TAKEN)
		*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
	insn->off = (int16_t)distance;
}

static void leave_out(struct folding *f)
{
	struct bpf_insn *insns = f->program->insns;
	size_t next;

	for (size_t i = 0; i < f->program->count; i = next) {
		next = next_of(&insns[i], i);
		if (!f->marks[i].is_kept)
			continue;
		redirect(f, &insns[i], i);
		memmove(&insns[f->marks[i].at], &insns[i], (next - i) * sizeof(*insns));
	}
}

/* Of functions that nobody calls nothing is said. */
static void leave_out_functions(struct folding *f)
{
	struct fold_program *program = f->program;
	unsigned int kept = 0;

	for (unsigned int i = 0; i < program->function_count; i++) {
		unsigned char *record = program->functions + (size_t)i * program->function_size;
		uint32_t at;

		memcpy(&at, record, sizeof(at));
		if (at >= program->count || !f->marks[at].is_reached)
			continue;
		memmove(program->functions + (size_t)kept * program->function_size, record, program->function_size);
		memcpy(program->functions + (size_t)kept++ * program->function_size, &f->marks[at].at, sizeof(at));
	}
	program->function_count = kept;
}

static int fold_marked(struct folding *f)
{
	int err = mark_targets(f);

	if (err)
		return err;
	find_shared(f);
	err = go_all_ways(f);
	if (err)
		return err;
	keep(f);
	number_kept(f);
	leave_out(f);
	leave_out_functions(f);
	return 0;
}

int fold(struct fold_program *program, const struct fold_constants *constants, size_t count)
{
	size_t before = program->count;
	_cleanup_free_ struct mark *marks = calloc(before + 1, sizeof(*marks));
	_cleanup_free_ uint32_t *open = calloc(before + 1, sizeof(*open));
	struct folding f = {
		.program = program, .setting = { .constants = constants, .constant_count = count },
		.marks = marks, .open = open,
	};
	int err = marks && open && before ? fold_marked(&f) : -ENOMEM;

	for (size_t i = 0; marks && i < before; i++)
		free(marks[i].before);
	if (!err)
		program->count = marks[before].at;
	return err;
}
