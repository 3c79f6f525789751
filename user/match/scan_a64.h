/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for aarch64. */
#ifndef ERLBPF_MATCH_SCAN_A64_H
#define ERLBPF_MATCH_SCAN_A64_H

#include "match/scan_code.h"

extern const struct scan_machine scan_a64;

#endif
