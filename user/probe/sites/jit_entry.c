// SPDX-License-Identifier: BSD-2-Clause
/*
 * JIT code has the process in r13, the address of the x registers in rbx, and the process's stack in rsp: the return
 * address is on top of it, except in the first function (beam_asm.hpp of jit/x86, equal in OTP 25, 27 and 29). The MFA
 * is before the first instruction, at the end of an ErtsCodeInfo.
 */
#include "probe/sites/jit_entry.h"

#include <errno.h>

#include "node/memory/fields.h"
#include "probe/sites/search.h"

/* Words in struct pt_regs, as in erl.h. */
enum { R13 = 2, RBX = 5, RSP = 19 };

#define MFA_BYTES 24

static struct erl_operand in_register(unsigned int reg)
{
	return (struct erl_operand){ .base = ERL_BASE_REG, .reg = reg, .size = 8 };
}

/* An operand that loads a word of the process structure. */
static int of_process(const struct vm *vm, const char *field, struct erl_operand *op)
{
	int64_t offset;

	if (field_offset(vm, field, &offset))
		return -ENOENT;
	*op = (struct erl_operand){ .base = ERL_BASE_REG, .reg = R13, .size = 8, .steps = 1, .disp = { offset } };
	return 0;
}

int jit_entry_config(const struct target *target, const struct erl_pid_layout *pids,
		     const struct erl_name_layout *names, struct erl_config *config)
{
	const struct site_request request = { .pids = pids, .names = names, .target = target };
	const struct vm *vm = target->vm;

	*config = (struct erl_config){ .local_ids = 1 };
	if (vm->flavor != FLAVOR_JIT || image_arch(vm->image) != ARCH_X86_64 ||
	    of_process(vm, "process.id", &config->args[0].operand) ||
	    of_process(vm, "process.heap", &config->args[4].operand) ||
	    of_process(vm, "process.heap_sz", &config->args[5].operand))
		return -ENOENT;
	config->args[1].operand = (struct erl_operand){
		.base = ERL_BASE_IP,
		.size = 8,
		.steps = 1,
		.address_of = 1,
		.disp = { -MFA_BYTES },
	};
	config->args[2].operand = in_register(RBX);
	config->args[3].operand = in_register(RSP);
	config->args[0].form = ERL_FORM_TERM;
	config->args[1].form = ERL_FORM_MFA;
	for (int i = 2; i < 6; i++)
		config->args[i].form = ERL_FORM_NUMBER;
	source_set_layouts(&request, vm, config);
	return 0;
}
