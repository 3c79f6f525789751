/* SPDX-License-Identifier: BSD-2-Clause */
/* The terms of a running node: its atoms, its process table, and its current memory. */
#ifndef ERLBPF_NODE_TERMS_TERMS_H
#define ERLBPF_NODE_TERMS_TERMS_H

#include "erl.h"
#include "node/atoms/atoms.h"
#include "target/target.h"
#include "term/format.h"

struct terms;

/* Borrows its arguments. `atoms` may be NULL: atoms are then shown as numbers. NULL and errno on failure. */
struct terms *terms_open(const struct target *target, const struct erl_pid_layout *pids, struct atoms *atoms);
void terms_free(struct terms *terms);

/* Call it when the process has ended: only cached data is known from then on. */
void terms_end(struct terms *terms);

/* Formats a snapshot of a term that a BPF program took. */
size_t terms_show(struct terms *terms, const struct term_snapshot *snapshot, char *buf, size_t size);

/*
 * The snapshot after the first `head` bytes of a record of `size`, of whose lines `lines` belong to this part. NULL if
 * it is incomplete.
 */
const struct term_snapshot *terms_behind(const void *record, size_t head, size_t size, uint32_t lines);

/* The lines `from` to `to` of a snapshot, which must exist. */
void terms_cut(const struct term_snapshot *memory, uint32_t from, uint32_t to, struct term_snapshot *part);

/* Copies bytes at an address, as far as the snapshot has them. Returns their number. */
size_t terms_bytes(const struct term_snapshot *snapshot, uint64_t address, void *to, size_t size);

/*
 * Formats a term in the node's current memory. The node is not stopped: if the process may collect its heap meanwhile,
 * the caller must check afterwards that the term was not moved.
 */
size_t terms_show_live(struct terms *terms, uint64_t term, char *buf, size_t size);

#endif
