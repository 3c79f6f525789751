/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that are stopped: nothing happens in them, which a table of zeros does not say. */
#ifndef ERLBPF_TRACE_STOPPED_H
#define ERLBPF_TRACE_STOPPED_H

#include "trace/follow.h"

/* A warning for each that is traced and does not run. */
void stopped_report(const struct follow *follow);

#endif
