/* SPDX-License-Identifier: BSD-2-Clause */
/* What a node has to say, which may be anything. */
#ifndef ERLBPF_DIST_GUARD_ANSWER_H
#define ERLBPF_DIST_GUARD_ANSWER_H

#include "dist/connection.h"
#include "dist/guard_protocol.h"

/*
 * What a step of the way to the breakpoints has made: {rex, {Ok, Term, ...}}. `result` gets the place of Term, all of
 * which is there. 0 or -errno.
 */
int guard_answer_enter(ei_x_buff *result, const char *ok);

/* {Pid, {ok, Count}}, {traced, What}, gone or timeout: at the place of `result`. Sets `said`, and `pid`. */
void guard_answer_take(const ei_x_buff *result, struct guard_said *said, erlang_pid *pid);

/*
 * Later: an atom, or {counts, Tag, Binary}, of which so many numbers as there are functions go to `called`, and the
 * rest to `said`.
 */
void guard_answer_later(const char *bytes, size_t size, struct guard_said *said, uint64_t *called, size_t functions);

#endif
