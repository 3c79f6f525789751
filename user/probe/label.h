/* SPDX-License-Identifier: BSD-2-Clause */
/* The label of a process (proc_lib:set_label/1, OTP 27) as text: any term, of which a little is shown. */
#ifndef ERLBPF_PROBE_LABEL_H
#define ERLBPF_PROBE_LABEL_H

#include <stdint.h>

#include "erl.h"
#include "probe/atoms.h"

/* Hostile text of less than NAME_LABEL_SIZE bytes, the caller's; NULL if it cannot be read. */
char *label_read(const struct target *target, struct atoms *atoms, const struct erl_pid_layout *pids,
		 uint64_t term);

#endif
