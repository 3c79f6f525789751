/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Erlang terms as text, as io_lib:format("~0p") of their node prints them, but for binaries in UTF-8, which are
 * <<"..."/utf8>>. It works on a memory, which
 * is a snapshot from the kernel or that of a live process, and both are hostile: pointers may be wild,
 * structures cyclic, text may hold anything. The result is bounded, UTF-8, and passes a sink
 * (base/text.h) before it is shown.
 *
 * What the bounds cut is "...", as it is for ~P: [1,2|...], {a,...}, "abc"..., <<1,2,...>>. Whether what is
 * cut is text is then decided by what there is of it. What could not be read is "(unreadable)", and what
 * is no term "(no term)".
 */
#ifndef ERLBPF_TERM_FORMAT_H
#define ERLBPF_TERM_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "term.h"

#define TERM_ATOM_BYTES 1020 /* longest atom: 255 characters */
#define TERM_ID_SIZE 40

/* What is the same for all terms of a node. */
struct term_vm {
	int otp; /* release; what is known is TERM_KNOWS_RELEASE() of bpf/term.h */
	bool is_jit;
	uint64_t this_dist; /* what the nodes of external terms that are its own point to, or 0 */
	/* UTF-8 of an atom, not terminated. Its length, or -errno. */
	int (*atom)(const void *data, uint32_t index, char bytes[TERM_ATOM_BYTES]);
	/* "<0.91.0>" or "#Port<0.8>" for the term of a pid or port of the node itself. 0, or -errno. */
	int (*id)(const void *data, uint64_t term, char text[TERM_ID_SIZE]);
	const void *data;
};

struct term_memory {
	const struct term_vm *vm;
	/* 0, -ENODATA if that is not part of the snapshot, -EFAULT if it could not be read. */
	int (*read)(const void *data, uint64_t address, void *to, size_t size);
	const void *data;
};

/* Length of the text, which is terminated and never longer than size - 1. */
size_t term_format(const struct term_memory *memory, uint64_t term, char *buf, size_t size);

/* The same for a snapshot. */
size_t term_format_snapshot(const struct term_vm *vm, const struct term_snapshot *snapshot, char *buf, size_t size);

/* Bytes from an address on, as far as the snapshot has them. Their number. */
size_t term_snapshot_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size);

#endif
