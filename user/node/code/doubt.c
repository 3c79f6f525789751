// SPDX-License-Identifier: BSD-2-Clause
#include "node/code/doubt.h"

#include "node/code/jit_calls.h"
#include "node/atoms/presume.h"

void doubt_check(const struct target *target)
{
	struct vm *vm = target->vm;

	if (vm->is_checked)
		return;
	vm->is_checked = true;
	vm->doubt = presume_doubt(target);
	if (!vm->doubt)
		vm->doubt = jit_calls_doubt(target);
	if (vm->doubt)
		vm->like = 0;
}
