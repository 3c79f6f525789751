/* SPDX-License-Identifier: BSD-2-Clause */
/* Which BEAMs are meant: by the name of the node, by its container or pod, by its process. */
#ifndef ERLBPF_TARGET_SELECTOR_H
#define ERLBPF_TARGET_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "target/pod.h"
#include "target/target.h"

/* All that is not NULL must hold; those that are names or paths may have the wildcards of file names. */
struct target_selector {
	const char *node;	/* "rabbit" also means "rabbit@anyhost" */
	const char *pod;	/* its name, or NAMESPACE/NAME */
	const char *container;	/* the beginning of its id, or its name in the pod */
	const char *cgroup;	/* a control group, or one in which it is */
	const char *comm;	/* name of the process */
	const char *exe;	/* path of the executable; without a slash, its last part */
	const char *user;	/* as it was written */
	uid_t uid;		/* of `user` */
	uint64_t pid_namespace; /* number of the file /proc/PID/ns/pid; 0: any */
	const char *pod_logs;	/* where the kubelet keeps logs; NULL: POD_LOGS */
};

/* With texts of its own: those of a command line are gone in a side process (base/process/side_process.h). 0 or
 * -ENOMEM. */
int target_selector_copy(struct target_selector *to, const struct target_selector *from);
void target_selector_free(struct target_selector *copy);

/* Is anything asked for? */
bool target_selector_is_set(const struct target_selector *selector);

/* What is asked for, as words behind "a node": " named shop in the pod cart". Returns `text`. */
#define SELECTOR_TEXT 512
const char *target_selector_text(const struct target_selector *selector, char text[SELECTOR_TEXT]);

enum selected {
	SELECTED_NOT,
	SELECTED_NOT_YET, /* what it lacks, a process may still get: a name, a control group, the name of its pod */
	SELECTED,
};

enum selected target_selected(const struct target_selector *selector, const struct target *target);

/* What pid_namespace is compared with; 0: the process is gone, or is not ours to look at. */
uint64_t selector_pid_namespace(pid_t pid);

/* The parts, for tests. */
bool selector_is_node(const char *wanted, const char *node);
bool selector_is_in_cgroup(const char *wanted, const char *text); /* of /proc/PID/cgroup */
bool selector_is_exe(const char *wanted, const char *exe);
bool selector_is_pod(const char *wanted, const struct pod *pod);
bool selector_is_container(const char *wanted, const struct pod *pod);

/* Those that are not selected are freed. */
void target_list_select(struct target_list *list, const struct target_selector *selector);

#endif
