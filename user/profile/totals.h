/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_PROFILE_TOTALS_H
#define ERLBPF_PROFILE_TOTALS_H

#include <stdint.h>

/* The sum over all CPUs of an element of a per-CPU array; 0 if it cannot be read. */
uint64_t totals_read(int map, uint32_t key);

#endif
