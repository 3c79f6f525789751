// SPDX-License-Identifier: BSD-2-Clause
/*
 * The verifier of older kernels goes through a program in depth (check_cfg() of Linux 6.1), and refuses it if it comes
 * back to where it is on the way in any other way than by a branch: "back-edge". Compilers lay out loops so that what
 * stands before their beginning runs into it. There, a branch that leads over nothing is put between.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "load/optimiser/code.h"
#include "load/optimiser/insn.h"

enum state { UNSEEN, ON_THE_WAY, DONE };

struct walk {
	const struct code *code;
	unsigned char *states;
	unsigned char *taken; /* how many ways out of an instruction were gone */
	uint32_t *way;	      /* the instructions that are on the way */
	size_t depth;
	bool *needs_branch; /* before this instruction */
	size_t count;	    /* of those */
};

#define NOWHERE SIZE_MAX

/* Where the next way out of the instruction leads. */
static size_t next_way(struct walk *w, size_t i)
{
	const struct bpf_insn *insn = &w->code->insns[i];
	unsigned char n = w->taken[i]++;

	if (insn_is_exit(insn) || n > 1)
		return NOWHERE;
	if (n == 0 && !insn_is_goto(insn))
		return insn_next(insn, i);
	if (n == 1 && !insn_is_branch(insn))
		return NOWHERE;
	return n == 1 && insn_is_goto(insn) ? NOWHERE : (size_t)insn_target(insn, i);
}

static void come_to(struct walk *w, size_t i)
{
	w->states[i] = ON_THE_WAY;
	w->way[w->depth++] = (uint32_t)i;
}

/* A function, from its first instruction. */
static void go_through(struct walk *w, size_t first)
{
	if (w->states[first] == UNSEEN)
		come_to(w, first);
	while (w->depth) {
		size_t i = w->way[w->depth - 1], next = next_way(w, i);

		if (next >= w->code->count) {
			w->states[i] = DONE;
			w->depth--;
		} else if (w->states[next] == UNSEEN) {
			come_to(w, next);
		} else if (w->states[next] == ON_THE_WAY && !insn_is_branch(&w->code->insns[i]) &&
			   !w->needs_branch[next]) {
			w->needs_branch[next] = true;
			w->count++;
		}
	}
}

static void go_through_all(struct walk *w)
{
	const struct code *code = w->code;

	go_through(w, 0);
	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i)) {
		const struct bpf_insn *insn = &code->insns[i];

		if (insn_is_call_of_own(insn) || insn_is_function_address(insn))
			go_through(w, (size_t)insn_target(insn, i));
	}
}

static void move_functions(struct code *code, const uint32_t *places)
{
	for (unsigned int i = 0; i < code->function_count; i++) {
		unsigned char *record = code->functions + (size_t)i * code->function_size;
		uint32_t at;

		memcpy(&at, record, sizeof(at));
		if (at < code->count)
			memcpy(record, &places[at], sizeof(at));
	}
}

static int put_branches(struct code *code, const struct walk *w)
{
	_cleanup_free_ uint32_t *places = calloc(code->count + 1, sizeof(*places));
	uint32_t more = 0;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < code->count; i++) {
		more += w->needs_branch[i];
		places[i] = (uint32_t)i + more;
	}
	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i))
		insn_redirect(&code->insns[i], i, places);
	move_functions(code, places);
	for (size_t i = code->count; i-- > 0;) {
		code->insns[places[i]] = code->insns[i];
		if (w->needs_branch[i])
			code->insns[places[i] - 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_JA };
	}
	code->count += more;
	return 0;
}

int code_close_loops(struct code *code, size_t room)
{
	_cleanup_free_ unsigned char *states = calloc(code->count + 1, 1);
	_cleanup_free_ unsigned char *taken = calloc(code->count + 1, 1);
	_cleanup_free_ uint32_t *way = calloc(code->count + 1, sizeof(*way));
	_cleanup_free_ bool *needs_branch = calloc(code->count + 1, sizeof(*needs_branch));
	struct walk w = {
		.code = code,
		.states = states,
		.taken = taken,
		.way = way,
		.needs_branch = needs_branch,
	};

	if (!code_is_sound(code))
		return -EINVAL;
	if (!states || !taken || !way || !needs_branch)
		return -ENOMEM;
	go_through_all(&w);
	/* Distances of branches have 16 bits. */
	if (code->count + w.count > room || code->count + w.count > INT16_MAX)
		return -ENOSPC;
	return w.count ? put_branches(code, &w) : 0;
}
