// SPDX-License-Identifier: BSD-2-Clause
#include "node/code/verify.h"

#include "node/code/jit_calls.h"
#include "node/atoms/newer_release.h"

void verify_vm(const struct target *target)
{
	struct vm *vm = target->vm;

	if (vm->is_checked)
		return;
	vm->is_checked = true;
	vm->mismatch = newer_release_refusal(target);
	if (!vm->mismatch)
		vm->mismatch = jit_calls_mismatch(target);
	if (vm->mismatch)
		vm->like = 0;
}
