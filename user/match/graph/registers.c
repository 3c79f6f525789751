// SPDX-License-Identifier: BSD-2-Clause
/* Follows all paths through a function with the set of registers that may still have the caller's values. */
#include "match/graph/registers.h"

#include <stddef.h>
#include <string.h>

#define ALL_ARGUMENTS 0x3f
#define MAX_SIZE 0x8000 /* bytes of a function */

struct walk {
	const unsigned char *code;
	uint32_t size;
	enum arch arch;
	/* For the instruction at each byte: the arguments that may be intact there, and 0x80 if it was reached. */
	unsigned char reached[MAX_SIZE];
	uint32_t waiting[MAX_SIZE]; /* instructions still to follow */
	size_t waiting_count;
	unsigned int used, passed;
};

static void go_to(struct walk *w, uint64_t to, unsigned int intact)
{
	unsigned char state = (unsigned char)(0x80 | intact);

	if (to >= w->size) {
		w->passed |= intact;
		return;
	}
	if ((w->reached[to] | state) == w->reached[to] || w->waiting_count == MAX_SIZE)
		return;
	w->reached[to] |= state;
	w->waiting[w->waiting_count++] = (uint32_t)to;
}

static bool read_step(const struct walk *w, uint32_t at, struct step *step)
{
	return w->arch == ARCH_X86_64 ? step_x86(w->code + at, w->size - at, at, step)
				      : step_a64(w->code + at, w->size - at, at, step);
}

static void take_step(struct walk *w, uint32_t at)
{
	unsigned int intact = w->reached[at] & ALL_ARGUMENTS;
	struct step step;

	if (!read_step(w, at, &step))
		return;
	w->used |= step.reads & intact;
	switch (step.kind) {
	case STEP_END: return;
	case STEP_CALL:
		w->passed |= intact;
		go_to(w, at + step.length, 0);
		return;
	case STEP_GO: go_to(w, step.target, intact); return;
	case STEP_FORK:
		go_to(w, step.target, intact);
		go_to(w, at + step.length, intact);
		return;
	case STEP_ON: go_to(w, at + step.length, intact & ~step.writes);
	}
}

uint16_t registers_used(const struct binary *binary, const struct binary_function *function, struct effort *effort)
{
	static struct walk w;
	size_t left;

	if (function->size > MAX_SIZE)
		return REGISTERS_UNKNOWN;
	w.code = binary_bytes(binary, function->start, &left);
	w.size = function->size;
	w.used = w.passed = 0;
	w.waiting_count = 0;
	if (!w.code || left < w.size)
		return REGISTERS_UNKNOWN;
	memset(w.reached, 0, w.size);
	w.arch = binary->arch;
	go_to(&w, 0, ALL_ARGUMENTS);
	while (w.waiting_count && effort_take(effort, EFFORT_INSTRUCTION))
		take_step(&w, w.waiting[--w.waiting_count]);
	return (uint16_t)(w.used | w.passed << 8);
}

bool registers_fit(uint16_t a, uint16_t b)
{
	unsigned int used_a = a & ALL_ARGUMENTS, used_b = b & ALL_ARGUMENTS;
	unsigned int any_a = used_a | a >> 8, any_b = used_b | b >> 8;

	if (a == REGISTERS_UNKNOWN || b == REGISTERS_UNKNOWN)
		return true;
	return !(used_a & ~any_b) && !(used_b & ~any_a);
}
