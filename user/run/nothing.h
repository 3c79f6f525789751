/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person is told of an answer that is empty: what there was none of, for how long, where, and what to try. */
#ifndef ERLBPF_RUN_NOTHING_H
#define ERLBPF_RUN_NOTHING_H

#include "run/run.h"

#define NOTHING_SIZE 768

/*
 * One sentence about the time since the last snapshot, hostile. NULL: nothing is to be said, as no node was traced, or
 * as this is the rest of an interval.
 */
const char *nothing_sentence(const struct run *run, char text[NOTHING_SIZE]);

/*
 * The same beside a histogram of cases none of which was as long as --min asks for. NULL: nothing is to be said, as one
 * was, or is not known to have been shorter.
 */
const char *nothing_reached(const struct run *run, char text[NOTHING_SIZE]);

#endif
