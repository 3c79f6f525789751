// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "load/optimiser/code.h"
#include "load/optimiser/insn.h"

static bool is_sound(const struct code *code, size_t i)
{
	const struct bpf_insn *insn = &code->insns[i];
	bool leads = insn_is_branch(insn) || insn_is_call_of_own(insn) || insn_is_function_address(insn);
	int64_t target = insn_target(insn, i);

	/* A long jump, of later compilers, has its distance elsewhere. */
	return insn->code != (BPF_JMP32 | BPF_JA) && insn->dst_reg <= BPF_REG_10 && insn->src_reg <= BPF_REG_10 &&
	       insn_next(insn, i) <= code->count && (!leads || (target >= 0 && target < (int64_t)code->count));
}

/* What is there is half of a number, which may look like any instruction. */
static bool leads_into_wide(const struct code *code, const bool *is_second, size_t i)
{
	int64_t target = insn_target(&code->insns[i], i);

	return target >= 0 && is_second[target];
}

static void find_halves(const struct code *code, bool *is_second)
{
	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i)) {
		if (insn_is_wide(&code->insns[i]))
			is_second[i + 1] = true;
	}
}

bool code_is_sound(const struct code *code)
{
	_cleanup_free_ bool *is_second = calloc(code->count + 1, sizeof(*is_second));

	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i)) {
		if (!is_sound(code, i))
			return false;
	}
	if (!is_second)
		return false;
	find_halves(code, is_second);
	for (size_t i = 0; i < code->count; i = insn_next(&code->insns[i], i)) {
		if (leads_into_wide(code, is_second, i))
			return false;
	}
	return code->count > 0;
}

/* BPF_JCOND of later kernels, "may_goto": it counts how often it was passed. */
#define COUNTING (BPF_JMP | 0xe0)

static bool leads_over_nothing(const struct bpf_insn *insn, size_t i, size_t next_kept)
{
	int64_t target = insn_target(insn, i);

	return insn_is_branch(insn) && insn->code != COUNTING && target > (int64_t)i && target <= (int64_t)next_kept;
}

static void drop_branches(const struct code *code, bool *is_kept)
{
	size_t next_kept = code->count;

	for (size_t i = code->count; i-- > 0;) {
		if (is_kept[i] && leads_over_nothing(&code->insns[i], i, next_kept))
			is_kept[i] = false;
		if (is_kept[i])
			next_kept = i;
	}
}

/* Where each instruction will be; of one that is left out, what follows it. */
static void find_places(const struct code *code, const bool *is_kept, uint32_t *places)
{
	uint32_t at = 0;
	size_t next;

	for (size_t i = 0; i < code->count; i = next) {
		next = insn_next(&code->insns[i], i);
		for (size_t part = i; part < next; part++)
			places[part] = at;
		at += is_kept[i] ? (uint32_t)(next - i) : 0;
	}
	places[code->count] = at;
}

static void move(struct code *code, const bool *is_kept, const uint32_t *places)
{
	size_t next;

	for (size_t i = 0; i < code->count; i = next) {
		next = insn_next(&code->insns[i], i);
		if (!is_kept[i])
			continue;
		insn_redirect(&code->insns[i], i, places);
		memmove(&code->insns[places[i]], &code->insns[i], (next - i) * sizeof(*code->insns));
	}
}

/* A function that is called keeps its first instruction, or what follows that. Of one that went nothing is said. */
static void move_functions(struct code *code, const uint32_t *places)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < code->function_count; i++) {
		unsigned char *record = code->functions + (size_t)i * code->function_size,
			      *next = record + code->function_size;
		uint32_t at, end = (uint32_t)code->count;

		memcpy(&at, record, sizeof(at));
		if (i + 1 < code->function_count)
			memcpy(&end, next, sizeof(end));
		if (at >= code->count || end > code->count || places[at] == places[end])
			continue;
		memmove(code->functions + (size_t)kept * code->function_size, record, code->function_size);
		memcpy(code->functions + (size_t)kept++ * code->function_size, &places[at], sizeof(at));
	}
	code->function_count = kept;
}

int code_keep(struct code *code, bool *is_kept)
{
	_cleanup_free_ uint32_t *places = calloc(code->count + 1, sizeof(*places));

	if (!places)
		return -ENOMEM;
	drop_branches(code, is_kept);
	find_places(code, is_kept, places);
	move(code, is_kept, places);
	move_functions(code, places);
	code->count = places[code->count];
	return 0;
}
