/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a process, compared with its file. A probe of the kernel is a changed instruction in the private memory
 * of the process: what differs is a probe that is on, or one that was never taken away.
 */
#ifndef ERLBPF_TARGET_TEXT_H
#define ERLBPF_TARGET_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "target/target.h"

enum text_kind {
	TEXT_BREAKPOINT, /* int3, or brk of the kernel's uprobes */
	TEXT_CALL,	 /* where the file has a nop5: the kernel's faster probe (x86-64, Linux 6.18) */
	TEXT_TORN,	 /* a nop5 that is none of these: a change that was interrupted */
};

struct text_patch {
	uint64_t address; /* as the file has it */
	uint64_t called;  /* by a call, moved as the address is */
	enum text_kind kind;
};

struct text_patches {
	struct text_patch *all; /* by address, where segments are in order */
	size_t count;
};

/* Bytes as they should be and as they are. Patches begin in the first `size` of them; `there` can be read. */
struct text_piece {
	enum arch arch;
	uint64_t address;
	const unsigned char *file, *memory;
	size_t size, there;
};

/*
 * Adds the patches of a piece; other differences are not the kernel's and are ignored. 0, -ENOMEM, or -E2BIG if there
 * are more than any tracer makes.
 */
int text_compare(const struct text_piece *piece, struct text_patches *patches);

/*
 * Those of a process: the executable segments of its own file. Code of a JIT is in no file and is not looked at. 0 or
 * -errno: -EFBIG if the text is too large to be a VM's, -EFAULT or -ENOENT if it cannot be read. Free them in any case.
 */
int text_patches_read(const struct target *target, struct text_patches *patches);
void text_patches_free(struct text_patches *patches);

/* The function of the file that an address is in, or behind; NULL if none is known. */
const struct image_symbol *text_function(const struct image *image, uint64_t address);

#endif
