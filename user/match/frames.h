/* SPDX-License-Identifier: BSD-2-Clause */
/* Where functions begin and end, by the table with which a process unwinds its stack (.eh_frame). */
#ifndef ERLBPF_MATCH_FRAMES_H
#define ERLBPF_MATCH_FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct binary_function;

#define FRAMES_MAX (1u << 17) /* functions; a BEAM has 7,000 */

/*
 * All functions of a table of `size` hostile bytes at `address`, in the table's order; the caller owns *functions. What
 * makes no sense ends the list. 0 or -ENOMEM.
 */
int frames_read(const void *table, size_t size, uint64_t address, struct binary_function **functions, size_t *count);

#endif
