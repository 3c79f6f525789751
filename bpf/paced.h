/* SPDX-License-Identifier: BSD-2-Clause */
/* For tools whose probes are on in turns, so that what they cost the node is bounded: user/run/pace.c. */
#ifndef ERLBPF_BPF_PACED_H
#define ERLBPF_BPF_PACED_H

#include <linux/types.h>

struct pace_window {
	__u64 start_ns; /* since when the probes are on; 0: they are not */
};

#endif
