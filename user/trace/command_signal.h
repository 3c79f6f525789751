/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The process beside ours that ends the command of -c. It alone may signal the command, also where that has become
 * another user, and nobody else: we, who read what others wrote, can signal no process.
 */
#ifndef ERLBPF_TRACE_COMMAND_SIGNAL_H
#define ERLBPF_TRACE_COMMAND_SIGNAL_H

#include "base/process/side_process.h"

/* Of the process of this pidfd, which is the caller's. To be called before any thread is started. 0 or -errno. */
int command_signal_start(struct side_process *command_signal, int pidfd);

/* Returns when the process has the signal: SIGTERM or SIGKILL. 0 or -errno: -EPIPE if the command_signal is gone. */
int command_signal_send(const struct side_process *command_signal, int number);

#endif
