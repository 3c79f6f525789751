// SPDX-License-Identifier: BSD-2-Clause
/*
 * Constants are followed along all the ways that a program can take, from its beginning and with what is known there:
 * nothing (Wegman and Zadeck, "Constant Propagation with Conditional Branches", 1991). A branch whose outcome is known
 * opens one way, others both, and where ways meet, holds what both know; a way that knows less than those before it
 * is gone again. What no way has reached is left out, and distances are written anew.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "load/optimiser/code.h"
#include "load/optimiser/fold_state.h"
#include "load/optimiser/insn.h"

/* Of an instruction. */
struct mark {
	struct fold_state *before; /* where ways meet, as far as they came; NULL: none has, or they do not meet */
	bool is_target, is_function, is_reached, is_open, is_number;
	unsigned char decision;
	int16_t shared_from; /* of the function that begins here: see struct fold_setting */
	uint64_t number;     /* that it writes to its register */
};

struct folding {
	struct code *code;
	struct fold_setting setting;
	struct mark *marks;	   /* one more than there are instructions */
	struct fold_state *states; /* room for one at each target */
	size_t target_count, state_count;
	uint32_t *open; /* to be gone on from */
	size_t open_count;
};

/* What ways meet where. */

static void mark_targets(struct folding *f)
{
	const struct bpf_insn *insns = f->code->insns;

	f->marks[0].is_target = f->marks[0].is_function = true;
	f->target_count = 1;
	for (size_t i = 0; i < f->code->count; i = insn_next(&insns[i], i)) {
		int64_t target = insn_target(&insns[i], i);

		if (target < 0)
			continue;
		f->target_count += !f->marks[target].is_target;
		f->marks[target].is_target = true;
		f->marks[target].is_function |= !insn_is_branch(&insns[i]);
	}
}

/*
 * An address of the stack is made: of what lies there, by what is added next. Whoever is given it may write there and
 * above, but not below, where the compiler keeps registers.
 */
static int16_t shared_at(const struct folding *f, size_t i)
{
	const struct bpf_insn *insns = f->code->insns;
	unsigned char address = insns[i].dst_reg;

	if (insns[i].code != (BPF_ALU64 | BPF_MOV | BPF_X) || insns[i].off)
		return INT16_MIN;
	for (i++; i < f->code->count && !f->marks[i].is_target; i = insn_next(&insns[i], i)) {
		if (insns[i].code == (BPF_ALU64 | BPF_ADD | BPF_K) && insns[i].dst_reg == address)
			return insns[i].imm < 0 && insns[i].imm > INT16_MIN ? (int16_t)insns[i].imm : INT16_MIN;
		if (insn_is_branch(&insns[i]) || insns[i].dst_reg == address || insns[i].src_reg == address ||
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
	const struct bpf_insn *insns = f->code->insns;
	int16_t *shared = &f->marks[0].shared_from;

	for (size_t i = 0; i < f->code->count; i = insn_next(&insns[i], i)) {
		if (f->marks[i].is_function)
			shared = &f->marks[i].shared_from;
		if (gives_stack(&insns[i])) {
			int16_t from = shared_at(f, i);

			*shared = from < *shared ? from : *shared;
		}
	}
	/* Each of a function's instructions knows. */
	for (size_t i = 1; i < f->code->count; i++) {
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
static void come_to(struct folding *f, size_t i, const struct fold_state *state)
{
	struct mark *mark = &f->marks[i];

	if (mark->before) {
		if (fold_meet(mark->before, state))
			go_on_from(f, i);
		return;
	}
	mark->before = &f->states[f->state_count++];
	*mark->before = *state;
	go_on_from(f, i);
}

/*
 * Of its arguments it knows nothing, even if they are the same at every call: the verifier looks at a global function
 * without its callers, and wants the checks that they make needless.
 */
static void come_to_function(struct folding *f, size_t i)
{
	struct fold_state nothing;

	fold_forget(&nothing);
	come_to(f, i, &nothing);
}

/* The last way that comes here knows what all do. */
static void note_number(struct mark *mark, const struct bpf_insn *insn, const struct fold_state *state)
{
	const struct fold_value *value = &state->registers[insn->dst_reg];
	unsigned char class = BPF_CLASS(insn->code);

	mark->is_number = value->kind == FOLD_NUMBER && (class == BPF_LDX || class == BPF_ALU || class == BPF_ALU64);
	mark->number = value->number;
}

/* One instruction; where the way goes on, or 0 if it ends. */
static size_t go(struct folding *f, size_t i, struct fold_state *state)
{
	const struct bpf_insn *insn = &f->code->insns[i];
	struct mark *mark = &f->marks[i];

	mark->is_reached = true;
	if (insn_is_exit(insn))
		return 0;
	if (insn_is_branch(insn)) {
		mark->decision = insn_is_goto(insn) ? FOLD_TAKEN : (unsigned char)fold_decide(insn, state);
		if (mark->decision != FOLD_NOT_TAKEN)
			come_to(f, (size_t)insn_target(insn, i), state);
		return mark->decision == FOLD_TAKEN ? 0 : insn_next(insn, i);
	}
	if (insn_target(insn, i) >= 0)
		come_to_function(f, (size_t)insn_target(insn, i));
	f->setting.shared_from = mark->shared_from;
	fold_step(&f->setting, insn, state);
	note_number(mark, insn, state);
	return insn_next(insn, i);
}

static int go_way(struct folding *f, size_t i)
{
	struct fold_state state = *f->marks[i].before;

	f->marks[i].is_open = false;
	do {
		i = go(f, i, &state);
		if (i >= f->code->count)
			return -EINVAL;
	} while (i && !f->marks[i].is_target);
	if (i)
		come_to(f, i, &state);
	return 0;
}

static int go_all_ways(struct folding *f)
{
	int err = 0;

	come_to_function(f, 0);
	while (!err && f->open_count)
		err = go_way(f, f->open[--f->open_count]);
	return err;
}

/* Writing down. */

/* As a constant, if it is one and there is room for it. */
static void write_number(struct bpf_insn *insn, uint64_t number)
{
	bool is_64 = (uint64_t)(int64_t)(int32_t)number == number;

	if (!is_64 && number > UINT32_MAX)
		return;
	*insn = (struct bpf_insn){
		.code = (is_64 ? BPF_ALU64 : BPF_ALU) | BPF_MOV | BPF_K,
		.dst_reg = insn->dst_reg,
		.imm = (int32_t)number,
	};
}

static int write_down(struct folding *f)
{
	_cleanup_free_ bool *is_kept = calloc(f->code->count, sizeof(*is_kept));

	if (!is_kept)
		return -ENOMEM;
	for (size_t i = 0; i < f->code->count; i++) {
		struct bpf_insn *insn = &f->code->insns[i];
		const struct mark *mark = &f->marks[i];

		is_kept[i] = mark->is_reached && mark->decision != FOLD_NOT_TAKEN;
		if (mark->decision == FOLD_TAKEN)
			*insn = (struct bpf_insn){ .code = BPF_JMP | BPF_JA, .off = insn->off };
		if (mark->is_number)
			write_number(insn, mark->number);
	}
	return code_keep(f->code, is_kept);
}

static int fold_marked(struct folding *f)
{
	int err;

	mark_targets(f);
	find_shared(f);
	f->states = malloc(f->target_count * sizeof(*f->states));
	err = f->states ? go_all_ways(f) : -ENOMEM;
	free(f->states);
	return err ? err : write_down(f);
}

int code_fold(struct code *code, const struct code_constants *constants, size_t count)
{
	_cleanup_free_ struct mark *marks = calloc(code->count + 1, sizeof(*marks));
	_cleanup_free_ uint32_t *open = calloc(code->count + 1, sizeof(*open));
	struct folding f = {
		.code = code,
		.setting = { .constants = constants, .constant_count = count },
		.marks = marks,
		.open = open,
	};

	if (!code_is_sound(code))
		return -EINVAL;
	return marks && open ? fold_marked(&f) : -ENOMEM;
}
