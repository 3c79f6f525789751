/* SPDX-License-Identifier: BSD-2-Clause */
/* D definitions that precede any program: psinfo_t, lwpsinfo_t, cpuinfo_t, curpsinfo and the like. */
#ifndef ERLBPF_D_SYNTAX_PRELUDE_H
#define ERLBPF_D_SYNTAX_PRELUDE_H

#include "d/syntax/parse.h"

struct arena;

/* First: the chips of this machine's CPUs. */
struct parse_input prelude_chips(struct arena *arena);
struct parse_input prelude_input(void);

/* Marks the program so far as prelude. */
void prelude_mark(struct program *program);

#endif
