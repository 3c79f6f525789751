/* SPDX-License-Identifier: BSD-2-Clause */
/* What the time of schedulers is spent on, as `erlbpf why` shows it. */
#ifndef ERLBPF_CLI_WHY_SHARES_H
#define ERLBPF_CLI_WHY_SHARES_H

#include "out/sink.h"
#include "why/node_watch.h"
#include "why/source/signs.h"

/* A line for all of them, nothing if it is not known; and one for each. */
void why_shares_print(const struct signs *signs);
void why_shares_print_each(const struct node_watch *collector);

enum { WHY_SHARES_ALL, WHY_SHARES_EACH, WHY_SHARES };

/* The same for JSON. The cells are the caller's to free; NULL if there is no memory. */
struct value *why_shares_parts(const struct signs *signs, const struct node_watch *collector,
			       struct sink_part parts[WHY_SHARES]);

#endif
