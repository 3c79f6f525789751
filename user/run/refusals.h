/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes that were found and are not traced, since they have not the probes that are needed: who they are, and why. */
#ifndef ERLBPF_RUN_REFUSALS_H
#define ERLBPF_RUN_REFUSALS_H

#include "run/follow.h"

/* Each with its reason, and what to do, as errors. */
void refusals_tell(const struct follow *follow, const char *tool);

/* ", not on a@host (reason), b@host (reason)" behind those that are; the caller's. "" if there are none, or NULL. */
char *refusals_list(const struct follow *follow);

#endif
