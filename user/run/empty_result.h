/* SPDX-License-Identifier: BSD-2-Clause */
/* What a person is told of an answer that is empty: what there was none of, for how long, where, and what to try. */
#ifndef ERLBPF_RUN_EMPTY_RESULT_H
#define ERLBPF_RUN_EMPTY_RESULT_H

#include "run/run.h"

#define EMPTY_RESULT_SIZE 768

/*
 * One sentence about the time since the last snapshot, hostile. NULL: nothing is to be said, as no node was traced, or
 * as this is the rest of an interval.
 */
const char *empty_result_sentence(const struct run *run, char text[EMPTY_RESULT_SIZE]);

/*
 * The same beside a histogram of cases none of which was as long as --min asks for. NULL: nothing is to be said, as one
 * was, or is not known to have been shorter.
 */
const char *empty_result_below_min(const struct run *run, char text[EMPTY_RESULT_SIZE]);

#endif
