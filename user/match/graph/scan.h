/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the graph of a build from its code and tables. */
#ifndef ERLBPF_MATCH_GRAPH_SCAN_H
#define ERLBPF_MATCH_GRAPH_SCAN_H

#include "match/graph/anchors.h"
#include "match/graph/binary.h"
#include "match/graph/effort.h"
#include "match/graph/graph.h"

/* 0, -ENOEXEC if a limit is exceeded, or -ENOMEM. Call graph_free() in any case. */
int scan(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort, struct graph *graph);

#endif
