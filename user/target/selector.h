/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects BEAMs by node name, container, pod or process. */
#ifndef ERLBPF_TARGET_SELECTOR_H
#define ERLBPF_TARGET_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "target/pod.h"
#include "target/target.h"

/* All members that are not NULL must match. Names and paths may have wildcards, as file names in a shell. */
struct target_selector {
	const char *node;	/* "rabbit" also means "rabbit@anyhost" */
	const char *pod;	/* a name, or NAMESPACE/NAME */
	const char *container;	/* the beginning of an id, or a name in the pod */
	const char *cgroup;	/* a control group, or an ancestor */
	const char *comm;	/* process name */
	const char *exe;	/* path of the executable; without a slash, its last component */
	const char *user;	/* as given by the user */
	uid_t uid;		/* of `user` */
	uint64_t pid_namespace; /* inode number of /proc/PID/ns/pid; 0: any */
	const char *pod_logs;	/* where the kubelet writes logs; NULL: POD_LOGS */
};

/* A deep copy: a side process (base/process/side_process.h) overwrites the command line. 0 or -ENOMEM. */
int target_selector_copy(struct target_selector *to, const struct target_selector *from);
void target_selector_free(struct target_selector *copy);

/* Is any criterion set? */
bool target_selector_is_set(const struct target_selector *selector);

/* The criteria as words that follow "a node": " named shop in the pod cart". Returns `text`. */
#define SELECTOR_TEXT 512
const char *target_selector_text(const struct target_selector *selector, char text[SELECTOR_TEXT]);

enum selected {
	SELECTED_NOT,
	SELECTED_NOT_YET, /* it may still get what it lacks: a name, a control group, a pod name */
	SELECTED,
};

enum selected target_selected(const struct target_selector *selector, const struct target *target);

/* The value for pid_namespace. 0: the process is gone, or permission is denied. */
uint64_t selector_pid_namespace(pid_t pid);

/* Parts, for tests. */
bool selector_is_node(const char *wanted, const char *node);
bool selector_is_in_cgroup(const char *wanted, const char *text); /* of /proc/PID/cgroup */
bool selector_is_exe(const char *wanted, const char *exe);
bool selector_is_pod(const char *wanted, const struct pod *pod);
bool selector_is_container(const char *wanted, const struct pod *pod);

/* Frees the targets that do not match. */
void target_list_select(struct target_list *list, const struct target_selector *selector);

#endif
