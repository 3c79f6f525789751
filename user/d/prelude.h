/* SPDX-License-Identifier: BSD-2-Clause */
/* What DTrace defines in D itself, before any program: psinfo_t, lwpsinfo_t, cpuinfo_t, and curpsinfo and its kind. */
#ifndef ERLBPF_D_PRELUDE_H
#define ERLBPF_D_PRELUDE_H

struct unit;

void prelude_add(struct unit *unit);

#endif
