// SPDX-License-Identifier: BSD-2-Clause
/* Source: AAPCS64, 6.4. Only the first six of eight arguments, as on x86-64, so that values of both can be compared. */
#include "base/a64.h"
#include "match/graph/registers.h"

#define ARGUMENTS 0x3f /* x0 to x5 */

static enum step_kind kind_of(const struct a64 *a)
{
	switch (a->kind) {
	case A64_CALL: return STEP_CALL;
	case A64_GO: return STEP_GO;
	case A64_GO_IF: return STEP_FORK;
	case A64_STOP: return STEP_END;
	default: return STEP_ON;
	}
}

bool step_a64(const unsigned char *code, uint32_t left, uint32_t at, struct step *step)
{
	struct a64 a;

	if (left < A64_SIZE)
		return false;
	a = a64_read_code(code, at);
	*step = (struct step){
		.kind = kind_of(&a),
		.target = a.value,
		.reads = a.reads & ARGUMENTS,
		.writes = a.writes & ARGUMENTS,
		.length = A64_SIZE,
	};
	if (a.kind == A64_GO && !a.value)
		step->target = STEP_OUT;
	return true;
}
