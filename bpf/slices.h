/* SPDX-License-Identifier: BSD-2-Clause */
/* slices: contract between its BPF program and tools/slices.c. */
#ifndef ERLBPF_BPF_SLICES_H
#define ERLBPF_BPF_SLICES_H

/* Facts about a slice besides its length (amounts of struct measure_event). */
enum slices_amount {
	SLICES_CALL_NS, /* of the longest native call */
	SLICES_INITIAL, /* id of the function that the process was spawned with */
	SLICES_CURRENT, /* id of the one that it was in at the end */
};

enum slices_kind {
	SLICES_PROCESS,
	SLICES_PORT,
	SLICES_KINDS,
};

#endif
