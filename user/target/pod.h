/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pod of a process, without an API server: from its control group, the kubelet's log directories, and the
 * container's mounts. All of these texts are hostile.
 */
#ifndef ERLBPF_TARGET_POD_H
#define ERLBPF_TARGET_POD_H

#include <stdbool.h>
#include <sys/types.h>

#include "target/reader/reader.h"

#define POD_LOGS "/var/log" /* the kubelet writes "pods" and "containers" here */

#define CONTAINER_ID_SIZE 65

/*
 * The container id in the text of /proc/PID/cgroup: the last run of exactly 64 hexadecimal digits, as in the group
 * names of containerd, CRI-O, docker and podman with any driver. "" if there is none.
 */
void container_id(const char *cgroup, char id[CONTAINER_ID_SIZE]);

struct pod {
	char name[254]; /* "" if unknown, like the others */
	char namespace[64];
	char container[64];
	char uid[37]; /* with dashes; 32 digits without for a static pod */
	char container_id[65];
	bool is_denied; /* we may not read its environment, which may have its name */
};

/* How to read files of a process: reader_file() and reader_identify(), except in tests. */
struct pod_files {
	ssize_t (*read)(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room);
	int (*identify)(pid_t pid, const char *name, struct reader_identity *identity);
};

extern const struct pod_files pod_files_by_reader;

/* `logs`: POD_LOGS, or where it is mounted. */
void pod_find(pid_t pid, const struct pod_files *files, const char *logs, struct pod *pod);

/*
 * True if it is in a container whose names are unknown: the kubelet names the log only after the container has started.
 */
bool pod_is_partial(const struct pod *pod);

/* Parts, for tests. Each sets the members that the text contains. False: the text has another form. */

/* The text of /proc/PID/cgroup: uid and container id. */
bool pod_parse_cgroup(const char *text, struct pod *pod);

/* "<namespace>_<name>_<uid>", a directory in pods/. */
bool pod_parse_directory(const char *text, struct pod *pod);

/* "<name>_<namespace>_<container>-<container id>.log", a link in containers/. */
bool pod_parse_link(const char *text, struct pod *pod);

#endif
