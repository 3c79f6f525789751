/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints Erlang terms as io_lib:format("~0p") of their node does, except that binaries in UTF-8 become <<"..."/utf8>>.
 * The terms are in a snapshot from the kernel or in the memory of a live process. Both are hostile: pointers may be
 * wild, structures cyclic, and text may contain anything. The result is UTF-8 of limited size. It must pass a sink
 * (base/text.h) before it is shown.
 *
 * Omitted parts become "...", as with ~P: [1,2|...], {a,...}, "abc"..., <<1,2,...>>. Whether an incomplete list or
 * binary is text depends on the available part. "(unreadable)": it could not be read; "(no term)": it is no valid term.
 */
#ifndef ERLBPF_TERM_FORMAT_H
#define ERLBPF_TERM_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "term.h"

#define TERM_ATOM_BYTES 1020 /* longest atom: 255 characters */
#define TERM_ID_SIZE 40

/* A node. */
struct term_vm {
	int otp; /* release; TERM_KNOWS_RELEASE() of bpf/term.h lists the supported ones */
	bool is_jit;
	uint64_t this_dist; /* the node entry to which external terms of this node point, or 0 */
	/* The name of an atom in UTF-8, not terminated. Returns its length or -errno. */
	int (*atom)(const void *data, uint32_t index, char bytes[TERM_ATOM_BYTES]);
	/* "<0.91.0>" or "#Port<0.8>" for a local pid or port. 0 or -errno. */
	int (*id)(const void *data, uint64_t term, char text[TERM_ID_SIZE]);
	const void *data;
};

struct term_memory {
	const struct term_vm *vm;
	/* 0, -ENODATA if the snapshot does not have it, or -EFAULT if it cannot be read. */
	int (*read)(const void *data, uint64_t address, void *to, size_t size);
	const void *data;
};

/* Returns the length of the text, at most size - 1. The text is terminated. */
size_t term_format(const struct term_memory *memory, uint64_t term, char *buf, size_t size);

/* Like term_format(), from a snapshot. */
size_t term_format_snapshot(const struct term_vm *vm, const struct term_snapshot *snapshot, char *buf, size_t size);

/* Copies the bytes that the snapshot has from `address` on. Returns their number. */
size_t term_snapshot_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size);

#endif
