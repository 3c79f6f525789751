/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of a process, and the files in their folders; of version 1 and 2. */
#ifndef ERLBPF_WHY_HOST_CGROUP_H
#define ERLBPF_WHY_HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "why/source/signs.h"

/* The first bytes of a file in a folder. False: it is not there, or empty. */
bool cgroup_read(const char *folder, const char *file, char *text, size_t size);

/* The number behind a word of the text, 0: it is not there. */
uint64_t cgroup_number(const char *text, const char *word);

/*
 * The nearest group of the process to which `limits` says yes, from its own up to the root, for a controller: "cpu",
 * "memory". False: none does.
 */
bool cgroup_find(pid_t pid, const char *controller, bool (*limits)(void *data, const char *folder), void *data,
		 char folder[SIGN_NAME]);

/* The parts, for tests. The path of the group of a controller, in the text of /proc/PID/cgroup; false: none. */
bool cgroup_path(const char *text, const char *controller, char *path, size_t size, bool *is_unified);

#endif
