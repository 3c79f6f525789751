/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the code of a process with its file. The kernel's probes change instructions in the private memory of the
 * process: each difference is a probe that is attached, or one that was never removed.
 */
#ifndef ERLBPF_TARGET_TEXT_H
#define ERLBPF_TARGET_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"
#include "target/target.h"

enum text_kind {
	TEXT_BREAKPOINT, /* int3, or the brk of uprobes */
	TEXT_CALL,	 /* in place of a nop5: the kernel's faster probe (x86-64, Linux 6.18) */
	TEXT_TORN,	 /* a changed nop5 that is neither: the change was interrupted */
};

struct text_patch {
	uint64_t address; /* in the file */
	uint64_t called;  /* target of a call, relative to the same base as the address */
	enum text_kind kind;
};

struct text_patches {
	struct text_patch *all; /* by address, if segments are sorted */
	size_t count;
};

/* Expected and actual bytes. Patches begin in the first `size` bytes; `there` bytes can be read. */
struct text_piece {
	enum arch arch;
	uint64_t address;
	const unsigned char *file, *memory;
	size_t size, there;
};

/*
 * Adds the patches of a piece; ignores changes that the kernel does not make. 0, -ENOMEM, or -E2BIG if there are more
 * than any tracer makes.
 */
int text_compare(const struct text_piece *piece, struct text_patches *patches);

/*
 * The patches of a process, in the executable segments of its own file; JIT code has no file to compare with. 0 or
 * -errno: -EFBIG if the code is too large for a VM, -EFAULT or -ENOENT if it cannot be read. Free them in any case.
 */
int text_patches_read(const struct target *target, struct text_patches *patches);
void text_patches_free(struct text_patches *patches);

/* The last function that begins at or before the address; NULL if there is none. */
const struct image_symbol *text_function(const struct image *image, uint64_t address);

#endif
