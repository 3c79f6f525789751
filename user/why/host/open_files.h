/* SPDX-License-Identifier: BSD-2-Clause */
/* Open files of a node, their kinds, and the limit. */
#ifndef ERLBPF_WHY_HOST_OPEN_FILES_H
#define ERLBPF_WHY_HOST_OPEN_FILES_H

#include <stdint.h>
#include <sys/types.h>

#include "why/source/signs.h"

/* The number of open files; 0: not readable. */
uint64_t open_files_count(pid_t pid);

/* The limit in the text of /proc/PID/limits; 0: none, or not found. */
uint64_t open_files_limit(const char *limits);

#endif
