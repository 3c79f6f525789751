/* SPDX-License-Identifier: BSD-2-Clause */
/* The nodes that the options mean, of those that run now: for who looks at them once, before or instead of a trace. */
#ifndef ERLBPF_TRACE_NODES_H
#define ERLBPF_TRACE_NODES_H

#include "options.h"
#include "target/target.h"

/* All, or those of -p and --node. EXIT_OK, or another enum exit_code, explained on stderr. The caller frees the list.
 */
int nodes_find(const struct options *options, struct target_list *list);

#endif
