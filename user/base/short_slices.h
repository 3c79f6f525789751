/* SPDX-License-Identifier: BSD-2-Clause */
/* Being let run soon after waking, for who looks at others at moments of its own choice. */
#ifndef ERLBPF_BASE_SHORT_SLICES_H
#define ERLBPF_BASE_SHORT_SLICES_H

/*
 * This thread, and those that it makes, want to run often and briefly. Else the kernel lets it wait for the end of
 * another's slice, of some milliseconds: who samples is late whenever there is something to see, and sees it too
 * seldom. The share of time is as before, and no privilege is needed. Kernels before 6.12 ignore it.
 */
void short_slices_request(void);

#endif
