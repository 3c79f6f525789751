/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process gives up when it no longer needs it, for good: capabilities, new ones by exec, and system calls. Of
 * the calling thread and of those that it starts later, so it is called while there is no other.
 */
#ifndef ERLBPF_BASE_PROCESS_PRIVILEGES_H
#define ERLBPF_BASE_PROCESS_PRIVILEGES_H

#include <stdint.h>
#include <sys/types.h>

#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/* Those that we have: PRIVILEGE(CAP_...) of each. */
uint64_t privileges_held(void);

/*
 * Makes those effective that are only permitted. The file of a container image gives them so: with an effective bit,
 * the kernel would refuse to run it where the container lacks one of them.
 */
void privileges_raise(void);

/*
 * Becomes this user and group, for good, with no other group, with the capabilities that we have and with the signal of
 * PR_SET_PDEATHSIG. 0 or -errno, and then we are who we were, but for the other groups.
 */
int privileges_become(uid_t uid, gid_t gid);

/*
 * The user that privileges_leave_root() makes of this process and of those that it forks: one whom no other process
 * has. To be called once, at the start.
 */
void privileges_choose_user(void);

/*
 * Makes a process of root one of the chosen user, for good, with the capabilities that it has; one of another user
 * stays as it is. Files and processes of root are no longer its own: only a capability opens them. Without CAP_SETUID
 * and CAP_SETGID, or in a user namespace without such a user, it stays root. Afterwards only root may look into
 * the process.
 */
void privileges_leave_root(void);

/*
 * Keeps those of `wanted` that we have, and sets no_new_privs. Also empties the bounding set if CAP_SETPCAP allows
 * that; no_new_privs alone keeps us from getting any back otherwise. 0 or -errno.
 */
int privileges_keep(uint64_t wanted);

/*
 * System calls, by what a process of ours is. Any may use memory, time, threads, and the descriptors that it has; the
 * rest is in privileges_filter.c. A call that is not allowed fails with EPERM, so that a C library of next year that
 * tries a new one goes on with the old one; what only an intruder would call ends the process.
 */
enum privileges_role {
	ROLE_READER,	 /* reads the memory and the files of processes */
	ROLE_KEEPER,	 /* makes readers, whose filter comes on top of its own, and ends them */
	ROLE_COMMAND,	 /* has probes in place, and reads what they count */
	ROLE_FOLLOWER,	 /* a command that also traces nodes that start later */
	ROLE_PROFILE,	 /* the same without a terminal: of the agent's side processes */
	ROLE_AGENT,	 /* answers questions beside that */
	ROLE_PUSHER,	 /* an agent that calls other machines, too */
	ROLE_GUARDIAN,	 /* makes and closes links */
	ROLE_CONNECTION, /* speaks with a node */
	ROLE_SIGNAL,	 /* ends a process whose pidfd it has */
	ROLES
};

/* "reader"... */
const char *privileges_role_name(enum privileges_role role);

/* After privileges_keep(), for good. 0 or -errno. */
int privileges_filter(enum privileges_role role);

#endif
