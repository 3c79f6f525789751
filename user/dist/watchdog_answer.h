/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes the untrusted answers of a node. */
#ifndef ERLBPF_DIST_WATCHDOG_ANSWER_H
#define ERLBPF_DIST_WATCHDOG_ANSWER_H

#include "dist/connection.h"
#include "dist/watchdog_protocol.h"

/* The answer to one step: {rex, {Ok, Term, ...}}. `result` gets the offset of the complete Term. 0 or -errno. */
int watchdog_answer_step(ei_x_buff *result, const char *ok);

/* Decodes {Pid, {ok, Count}}, {traced, What}, gone or timeout at the offset of `result`, into `said` and `pid`. */
void watchdog_answer_start(const ei_x_buff *result, struct watchdog_report *said, erlang_pid *pid);

/*
 * Decodes a later message, an atom or {counts, Tag, Binary}, into `said` and `called`, which has room for all
 * functions.
 */
void watchdog_answer_report(const char *bytes, size_t size, struct watchdog_report *said, uint64_t *called,
			    size_t functions);

#endif
