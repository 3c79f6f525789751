/* SPDX-License-Identifier: BSD-2-Clause */
/* What was meant by a probe description that matches nothing. */
#ifndef ERLBPF_DTRACE_PROVIDER_NEAREST_H
#define ERLBPF_DTRACE_PROVIDER_NEAREST_H

#include "dtrace/provider/probes.h"

#define NEAREST_SIZE 512

/*
 * The description with one of its names replaced, "erlang*:::message-send", into `buf` of NEAREST_SIZE; "" if none is
 * near. All probes are listed for it. Returns buf.
 */
const char *probes_nearest(struct probes *probes, const struct probe_spec *spec, char *buf);

/* The same as the reason why a description matches nothing: "did you mean ...?" */
const char *probes_did_you_mean(struct probes *probes, const struct probe_spec *spec, char *buf);

#endif
