/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is constant at a place of a program: in registers, and in the slots of the stack in which the compiler keeps
 * registers meanwhile. See code_fold.c.
 */
#ifndef ERLBPF_LOAD_OPTIMISER_FOLD_STATE_H
#define ERLBPF_LOAD_OPTIMISER_FOLD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/optimiser/code.h"

#define FOLD_REGISTERS 11
#define FOLD_SLOTS 64 /* of eight bytes: the stack that a function may have */

enum fold_kind { FOLD_UNKNOWN, FOLD_NUMBER, FOLD_PLACE };

struct fold_value {
	enum fold_kind kind;
	uint32_t map;	 /* of a place: which of the constants */
	uint64_t number; /* of a place: the offset */
};

struct fold_state {
	struct fold_value registers[FOLD_REGISTERS];
	struct fold_value slots[FOLD_SLOTS]; /* the first is the deepest */
};

/* What holds wherever in a program. */
struct fold_setting {
	const struct code_constants *constants;
	size_t constant_count;
	int shared_from; /* of the stack, by r10: from here on others may write, by an address; 0: nowhere */
};

enum fold_decision { FOLD_OPEN, FOLD_TAKEN, FOLD_NOT_TAKEN };

/* Nothing is known. */
void fold_forget(struct fold_state *state);

/* How a conditional branch goes. */
enum fold_decision fold_decide(const struct bpf_insn *insn, const struct fold_state *state);

/* The state after an instruction that is no branch. Of a wide one, the first half. */
void fold_step(const struct fold_setting *setting, const struct bpf_insn *insn, struct fold_state *state);

/* Where two ways meet, holds what both know. Whether that is less than `state` was. */
bool fold_meet(struct fold_state *state, const struct fold_state *other);

#endif
