/* SPDX-License-Identifier: BSD-2-Clause */
/* When hits count: struct erl_window of bpf/erl.h, which all programs of a loader ask. */
#ifndef ERLBPF_BUDGET_WINDOW_H
#define ERLBPF_BUDGET_WINDOW_H

#include "erl.h"
#include "load/load.h"

/* Programs see it at their next hit. Objects whose programs are at no site have none. */
void window_set(const struct loader *loader, const struct erl_window *window);

#endif
