/* SPDX-License-Identifier: BSD-2-Clause */
/* How many open files the process of a node has of those that it may have, and what they are. */
#ifndef ERLBPF_WHY_HOST_OPEN_FILES_H
#define ERLBPF_WHY_HOST_OPEN_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "why/source/signs.h"

/* How many there are. 0: it cannot be told. */
uint64_t open_files_count(pid_t pid);

/* The limit in the text of /proc/PID/limits, 0: none, or it is not there. */
uint64_t open_files_limit(const char *limits);

#endif
