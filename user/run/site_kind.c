// SPDX-License-Identifier: BSD-2-Clause
#include "run/site_kind.h"

#include <unistd.h>

#include "probe/instruction.h"

enum hit_kind site_kind(const struct vm *vm, unsigned long offset)
{
	unsigned char code[INSTRUCTION_LONGEST];
	ssize_t size = pread(vm->fd, code, sizeof(code), (off_t)offset);

	if (size <= 0)
		return HIT_STEPPED;
	if (instruction_is_nop5(code, (size_t)size))
		return HIT_NOP5;
	return instruction_is_stepped(image_arch(vm->image), code, (size_t)size) ? HIT_STEPPED : HIT_PLAIN;
}
