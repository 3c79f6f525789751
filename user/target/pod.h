/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which pod a process belongs to, without an API server: by its control group, the directories in which the kubelet
 * keeps logs, and what is mounted into its container. All of it is text of others, and hostile.
 */
#ifndef ERLBPF_TARGET_POD_H
#define ERLBPF_TARGET_POD_H

#include <stdbool.h>
#include <sys/types.h>

#include "target/reader/reader.h"

#define POD_LOGS "/var/log" /* where the kubelet keeps "pods" and "containers" */

#define CONTAINER_ID_SIZE 65

/*
 * The container id in the text of /proc/PID/cgroup: the last run of exactly 64 hexadecimal digits, which is what
 * containerd, CRI-O, docker and podman name their groups with, under every driver. "" if there is none.
 */
void container_id(const char *cgroup, char id[CONTAINER_ID_SIZE]);

struct pod {
	char name[254]; /* "" if it is not known; the same of the others */
	char namespace[64];
	char container[64];
	char uid[37]; /* with dashes; of a static pod 32 digits without */
	char container_id[65];
	bool is_denied; /* its environment may hold its name, and we may not read it */
};

/* Files of a process, and which ones they are: as reader_file() and reader_identify(), which they are but in tests. */
struct pod_files {
	ssize_t (*read)(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room);
	int (*identify)(pid_t pid, const char *name, struct reader_identity *identity);
};

extern const struct pod_files pod_files_by_reader;

/* `logs`: POD_LOGS, or where that is mounted. */
void pod_find(pid_t pid, const struct pod_files *files, const char *logs, struct pod *pod);

/* A container, but its names are not: the kubelet makes its log's name only after it has started. */
bool pod_is_partial(const struct pod *pod);

/* The parts. Each fills in what the text says, and nothing else; false if it is not of that form. */

/* The text of /proc/PID/cgroup: uid and container id. */
bool pod_parse_cgroup(const char *text, struct pod *pod);

/* "<namespace>_<name>_<uid>", a directory in pods/. */
bool pod_parse_directory(const char *text, struct pod *pod);

/* "<name>_<namespace>_<container>-<container id>.log", a link in containers/. */
bool pod_parse_link(const char *text, struct pod *pod);

#endif
