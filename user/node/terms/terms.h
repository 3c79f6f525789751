/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms of a node that runs: its atoms, its process table, and its memory as it is now. */
#ifndef ERLBPF_NODE_TERMS_TERMS_H
#define ERLBPF_NODE_TERMS_TERMS_H

#include "erl.h"
#include "node/atoms/atoms.h"
#include "target/target.h"
#include "term/format.h"

struct terms;

/* Borrows all. `atoms` may be NULL: they are shown as numbers then. NULL and errno. */
struct terms *terms_open(const struct target *target, const struct erl_pid_layout *pids, struct atoms *atoms);
void terms_free(struct terms *terms);

/* The process has ended: from now on, only what is remembered is known. */
void terms_end(struct terms *terms);

/* A snapshot that the kernel took of one of its terms, as text. */
size_t terms_show(struct terms *terms, const struct term_snapshot *snapshot, char *buf, size_t size);

/*
 * The snapshot that follows the first `head` bytes of a record of `size`, of whose lines so many belong to a part of
 * it. NULL if it is not all there.
 */
const struct term_snapshot *terms_behind(const void *record, size_t head, size_t size, uint32_t lines);

/* The lines `from` to `to` of a snapshot, which has them. */
void terms_cut(const struct term_snapshot *memory, uint32_t from, uint32_t to, struct term_snapshot *part);

/* Bytes from an address on, as far as a snapshot has them. Their number. */
size_t terms_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size);

/*
 * A term as it lies in the node's memory now. Nothing is stopped for it: if a process may collect its
 * heap meanwhile, the caller has to check afterwards that the term still is where it was.
 */
size_t terms_show_live(struct terms *terms, uint64_t term, char *buf, size_t size);

#endif
