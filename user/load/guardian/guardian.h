/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guardian: a process beside ours that makes, holds and closes the links of uprobes. The kernel does not put the
 * instructions of a process back when the one that closes a link, or makes it, is being killed (it gives up in
 * get_user_pages(), and says "leaking uprobe"). So the one that does these things is not the one that is killed: the
 * guardian blocks signals, belongs to no terminal and needs no memory to speak of. When we end, however, it takes all
 * probes away and ends.
 *
 * One per process. Links that change no process (of perf events and tracepoints) are not its business.
 */
#ifndef ERLBPF_LOAD_GUARDIAN_GUARDIAN_H
#define ERLBPF_LOAD_GUARDIAN_GUARDIAN_H

#include <stddef.h>
#include <sys/types.h>

#include "load/kernel/kernel.h"

#define GUARDIAN_NAME "bpf-guardian"

/*
 * Before any thread is started, and while we are small; more than once does no harm. 0, or -errno, which is printed.
 */
int guardian_start(void);

/* Readable when the guardian was killed, and its probes are gone with it. -1 if there is none. */
int guardian_fd(void);
#define GUARDIAN_GONE                                                                                                  \
	"the process that holds the probes (" GUARDIAN_NAME ") was killed: nothing is traced any more. "               \
	"`erlbpf doctor` shows whether a probe was left behind"

/* 0 if there is none. */
pid_t guardian_pid(void);

/* Did it end before it had taken all probes away? */
bool guardian_is_lost(void);

/*
 * Links a program to the sites, all or none, by one link or by one per site, as the kernel wants it. The number under
 * which the guardian has them, or -errno: -EPIPE if the guardian is gone.
 */
int guardian_link(int program, const struct kernel_sites *sites, enum kernel_attach how);

/*
 * The same in two steps, so that several links are asked for before the first answer is waited for: they are made at
 * once then. Each guardian_ask_link() that returns 0 has one guardian_answer(), in the same order, before anything else
 * is asked.
 */
int guardian_ask_link(int program, const struct kernel_sites *sites, enum kernel_attach how);
int guardian_answer(void);

/* Takes the probes of so many numbers away, all at the same time, and returns when they are gone. */
void guardian_unlink(const int *numbers, size_t count);

#endif
