/* SPDX-License-Identifier: BSD-2-Clause */
/* The control groups of a process, versions 1 and 2, and their files. */
#ifndef ERLBPF_WHY_HOST_CGROUP_H
#define ERLBPF_WHY_HOST_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "why/source/signs.h"

/* Reads the start of a file of a group. False: it does not exist or is empty. */
bool cgroup_read(const char *folder, const char *file, char *text, size_t size);

/* The number after a word of the text; 0: not found. */
uint64_t cgroup_number(const char *text, const char *word);

/*
 * The nearest group of the process for which `limits` returns true, from its own up to the root. Controller: "cpu" or
 * "memory". False: none.
 */
bool cgroup_find(pid_t pid, const char *controller, bool (*limits)(void *data, const char *folder), void *data,
		 char folder[SIGN_NAME]);

/* For tests: the path of a controller's group in the text of /proc/PID/cgroup. False: none. */
bool cgroup_path(const char *text, const char *controller, char *path, size_t size, bool *is_unified);

#endif
