/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run does for all tools that measure with bpf/measure.bpf.h. */
#ifndef ERLBPF_RUN_CASES_H
#define ERLBPF_RUN_CASES_H

#include "measure.h"
#include "options.h"
#include "tool.h"

/* What the command line asks for. */
struct measure_config cases_config(const struct tool *tool, const struct options *options);

/* A record of the ring, shown by the fields of the tool's columns. */
void cases_show(struct run *run, const void *record, size_t size);

/* Appends the accounts of measure_accounts. Returns how many notes there are then. */
size_t cases_notes(const struct run *run, struct sink_note *notes, size_t count);

#endif
