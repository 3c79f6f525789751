/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Privileges that a process gives up for good: capabilities, new ones by exec, and system calls. They apply to the
 * calling thread and to threads that it starts later, so call these functions while there is no other thread.
 */
#ifndef ERLBPF_BASE_PROCESS_PRIVILEGES_H
#define ERLBPF_BASE_PROCESS_PRIVILEGES_H

#include <stdint.h>
#include <sys/types.h>

#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/* The effective capabilities: PRIVILEGE(CAP_...) for each. */
uint64_t privileges_held(void);

/*
 * Makes all permitted capabilities effective. The file in a container image has them without the effective bit; with
 * it, exec would fail in a container that lacks one of them.
 */
void privileges_raise(void);

/*
 * Changes to this user and group for good, without other groups; keeps the capabilities and the signal of
 * PR_SET_PDEATHSIG. 0 or -errno; on failure only the other groups are lost.
 */
int privileges_become(uid_t uid, gid_t gid);

/*
 * Chooses the user for privileges_leave_root(), in this process and its children. No other process has it. Call it once
 * at the start.
 */
void privileges_choose_user(void);

/*
 * Changes a process of root to the chosen user for good, with its capabilities; a process of another user stays as it
 * is. It then no longer owns files and processes of root: only a capability opens them, and only root can inspect the
 * process. Without CAP_SETUID and CAP_SETGID, or in a user namespace without such a user, it stays root.
 */
void privileges_leave_root(void);

/*
 * Keeps the capabilities in `wanted` and drops all others, and sets no_new_privs. Also empties the bounding set if
 * CAP_SETPCAP allows it; otherwise, no_new_privs alone prevents regaining them. 0 or -errno.
 */
int privileges_keep(uint64_t wanted);

/*
 * The role of a process decides its system calls. Every role may use memory, time, threads and open descriptors;
 * privileges_filter.c has the rest. A forbidden call fails with EPERM, so that a newer C library falls back to an older
 * call; a call that only an intruder would make kills the process.
 */
enum privileges_role {
	ROLE_READER,	 /* reads memory and files of processes */
	ROLE_KEEPER,	 /* starts readers and ends them; their filter adds to its own */
	ROLE_COMMAND,	 /* has attached probes, and reads their results */
	ROLE_FOLLOWER,	 /* a command that also traces nodes that start later */
	ROLE_PROFILE,	 /* a follower without a terminal: side processes of the agent */
	ROLE_AGENT,	 /* a follower that also serves HTTP */
	ROLE_PUSHER,	 /* an agent that also connects to other machines */
	ROLE_GUARDIAN,	 /* creates and closes links */
	ROLE_CONNECTION, /* connects to a node */
	ROLE_SIGNAL,	 /* ends a process by its pidfd */
	ROLES
};

/* "reader"... */
const char *privileges_role_name(enum privileges_role role);

/* Installs the filter for good, after privileges_keep(). 0 or -errno. */
int privileges_filter(enum privileges_role role);

#endif
