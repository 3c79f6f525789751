/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for x86-64. */
#ifndef ERLBPF_MATCH_SCAN_X86_H
#define ERLBPF_MATCH_SCAN_X86_H

#include "match/scan_code.h"

extern const struct scan_machine scan_x86;

#endif
