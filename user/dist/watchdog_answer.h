/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node has to say, which may be anything. */
#ifndef ERLBPF_DIST_WATCHDOG_ANSWER_H
#define ERLBPF_DIST_WATCHDOG_ANSWER_H

#include "dist/connection.h"
#include "dist/watchdog_protocol.h"

/*
 * What a step of the way to the breakpoints has made: {rex, {Ok, Term, ...}}. `result` gets the place of Term, all of
 * which is there. 0 or -errno.
 */
int watchdog_answer_step(ei_x_buff *result, const char *ok);

/* {Pid, {ok, Count}}, {traced, What}, gone or timeout: at the place of `result`. Sets `said`, and `pid`. */
void watchdog_answer_start(const ei_x_buff *result, struct watchdog_report *said, erlang_pid *pid);

/*
 * Later: an atom, or {counts, Tag, Binary}, of which so many numbers as there are functions go to `called`, and the
 * rest to `said`.
 */
void watchdog_answer_report(const char *bytes, size_t size, struct watchdog_report *said, uint64_t *called,
			    size_t functions);

#endif
