/* SPDX-License-Identifier: BSD-2-Clause */
/* What was lost, told as dtrace(1) tells it: on stderr, and by tags if that is wanted. */
#ifndef ERLBPF_DTRACE_DROPS_H
#define ERLBPF_DTRACE_DROPS_H

#include <stdbool.h>

#include "d.h"

/* Say what has been lost between the two states, and make `before` the one that is now. */
void drops_tell(struct d_state *before, const struct d_state *now, const char *name, bool with_tags);

#endif
