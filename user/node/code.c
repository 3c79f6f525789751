// SPDX-License-Identifier: BSD-2-Clause
#include "node/code.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "target/procfs.h"

#define IS_ATOM(term) (((term)&0x3f) == 0x0b)
#define MAX_ARITY 255

/*
 * Before a function's code is an ErtsCodeInfo (code_ix.h): how it is called under the JIT, its
 * breakpoint, its MFA. x86 code under the JIT begins it with a call or, when nothing can fail, a nop
 * (emit_i_func_info() in beam_asm_module.cpp); the emulator with the address of an instruction.
 */
struct code_info {
	uint64_t op;
	uint64_t breakpoint;
	uint64_t mfa[3];
};

static bool is_code_info(const struct target *target, const struct code_info *info)
{
	uint8_t first = (uint8_t)info->op;

	if (!IS_ATOM(info->mfa[0]) || !IS_ATOM(info->mfa[1]) || info->mfa[2] > MAX_ARITY || info->mfa[0] >> 32 ||
	    info->mfa[1] >> 32)
		return false;
	if (target->vm->flavor == FLAVOR_JIT && image_arch(target->vm->image) == ARCH_X86_64)
		return first == 0xe8 || first == 0x90;
	/* The emulator's instructions may look like it, but that none of them has a word of 0. */
	return !info->breakpoint;
}

#define CODE_CHUNK 512	     /* words that are looked at at a time */
#define CODE_MAX (256 << 10) /* no function that is seen in practice is longer, in bytes */

int code_function_at(const struct target *target, uint64_t address, uint64_t mfa[3], uint64_t *start)
{
	const size_t info_words = sizeof(struct code_info) / 8;
	uint64_t words[CODE_CHUNK + sizeof(struct code_info) / 8];
	uint64_t end = address & ~7ULL;

	for (uint64_t from = end; end - from < CODE_MAX && from > sizeof(words);) {
		/* Each chunk ends with what the one before began with: information may lie across. */
		from -= CODE_CHUNK * 8;
		if (procfs_memory(target->pid, from, words,
				  from + sizeof(words) > end ? CODE_CHUNK * 8 : sizeof(words)))
			return -EFAULT;
		for (size_t i = CODE_CHUNK; i-- > 0;) {
			const struct code_info *info = (const struct code_info *)&words[i];

			if (from + (i + info_words) * 8 > end || !is_code_info(target, info))
				continue;
			memcpy(mfa, info->mfa, sizeof(info->mfa));
			if (start)
				*start = from + (i + info_words) * 8;
			return 0;
		}
	}
	return -ENOENT;
}
