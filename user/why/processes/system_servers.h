/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers of a node that others wait for without thinking of it: who logs, who writes to a terminal or a file. */
#ifndef ERLBPF_WHY_PROCESSES_SYSTEM_SERVERS_H
#define ERLBPF_WHY_PROCESSES_SYSTEM_SERVERS_H

#include "why/source/signs.h"

/* By registered name. */
enum system_server system_server_of(const char *name);

#endif
