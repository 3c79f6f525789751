/* SPDX-License-Identifier: BSD-2-Clause */
/* How schedulers spend their time, as printed by `erlbpf why`. */
#ifndef ERLBPF_CLI_WHY_SHARES_H
#define ERLBPF_CLI_WHY_SHARES_H

#include "out/sink.h"
#include "why/node_watch.h"
#include "why/source/signs.h"

/* One line for all schedulers, nothing if it is not known; one line for each. */
void why_shares_print(const struct signs *signs);
void why_shares_print_each(const struct node_watch *collector);

enum { WHY_SHARES_ALL, WHY_SHARES_EACH, WHY_SHARES };

/* The same for JSON. The caller frees the cells. NULL: out of memory. */
struct value *why_shares_parts(const struct signs *signs, const struct node_watch *collector,
			       struct sink_part parts[WHY_SHARES]);

#endif
