/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From IR to BPF instructions. A function takes (ctx, frame, globals) and keeps them in r6, r7 and r8, and the value of
 * an aggregation in r9. Everything else is in the frame, whose layout is final.
 */
#ifndef ERLBPF_D_OBJECT_EMIT_H
#define ERLBPF_D_OBJECT_EMIT_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "d/lower/lower.h"

/* An instruction that refers to a function or a map by name. */
struct emit_reference {
	size_t at;
	const char *name;
	bool is_call;
	struct emit_reference *next;
};

struct emit_code {
	struct bpf_insn *insns;
	size_t count, room;
	struct emit_reference *references;
};

/* In the arena. False: a jump is too far. */
bool emit(struct arena *arena, const struct layout *layout, const struct ir_list *list, struct emit_code *code);

#endif
