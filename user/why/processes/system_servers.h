/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers that processes wait for implicitly: logging, I/O, code loading. */
#ifndef ERLBPF_WHY_PROCESSES_SYSTEM_SERVERS_H
#define ERLBPF_WHY_PROCESSES_SYSTEM_SERVERS_H

#include "why/source/signs.h"

/* By registered name. */
enum system_server system_server_of(const char *name);

#endif
