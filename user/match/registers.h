/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which of its arguments a function uses: what a compiler that made a copy of it with other arguments (constprop, isra)
 * cannot keep. A function found by comparison whose arguments are not those of the other build is not taken.
 */
#ifndef ERLBPF_MATCH_REGISTERS_H
#define ERLBPF_MATCH_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "match/binary.h"
#include "match/effort.h"

#define REGISTERS_UNKNOWN 0xffff

/* Bit i: argument i is read; bit 8 + i: it may be passed on to a function that is called. */
uint16_t registers_used(const struct binary *binary, const struct binary_function *function, struct effort *effort);

/* Can both be the same function? */
bool registers_fit(uint16_t a, uint16_t b);

#endif
