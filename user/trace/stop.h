/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a trace is told to end: the first SIGINT or SIGTERM asks for it, the second kills at once, even while we
 * wait for somebody to read our output; hence a handler, and not a signalfd with blocked signals. Only while probes are
 * taken away, which cannot be hurried, it is answered with a line. SIGPIPE is ignored.
 */
#ifndef ERLBPF_TRACE_STOP_H
#define ERLBPF_TRACE_STOP_H

#include <stdbool.h>

/*
 * fd that becomes readable at the first signal and stays so; it lives as long as the process. `last` is called in
 * the handler of the second one, before it kills, NULL: nothing. -errno.
 */
int stop_open(void (*last)(void));

/* Was there a first one? For who cannot look at the fd now. */
bool stop_is_asked(void);

/* From now on, or no longer, a further signal is answered and does not kill. */
void stop_hold(bool holds);

/* For who took signals in another way and only detaches now: answer those that come, and those that were blocked. */
void stop_answer(void);

/* The handler of the second signal, for others that kill. */
void stop_die(int number);

#endif
