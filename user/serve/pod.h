/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pod a process belongs to, without an API server: by its control group, the directories in which the kubelet
 * keeps logs, and what is mounted into its container. All of it is text of others, and hostile.
 */
#ifndef ERLBPF_SERVE_POD_H
#define ERLBPF_SERVE_POD_H

#include <sys/types.h>

struct pod {
	char name[254];			/* "" if it is not known; the same of the others */
	char namespace[64];
	char container[254];
	char uid[37];
	char container_id[65];
};

/* `root` is "" but in tests: what stands before /proc and /var/log. */
void pod_find(pid_t pid, const char *root, struct pod *pod);

#endif
