/* SPDX-License-Identifier: BSD-2-Clause */
/* What DTrace defines in D itself, before any program: psinfo_t, lwpsinfo_t, cpuinfo_t, and curpsinfo and its kind. */
#ifndef ERLBPF_D_SYNTAX_PRELUDE_H
#define ERLBPF_D_SYNTAX_PRELUDE_H

#include "d/syntax/parse.h"

struct arena;

/* Before the rest: on which chip a CPU is, of this machine. */
struct parse_input prelude_chips(struct arena *arena);
struct parse_input prelude_input(void);

/* Everything that the program holds so far is the prelude's. */
void prelude_mark(struct program *program);

#endif
