/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a process gives up when it no longer needs it, for good: capabilities, new ones by exec, and system calls. Of
 * the calling thread and of those that it starts later, so it is called while there is no other.
 */
#ifndef ERLBPF_BASE_PRIVILEGES_H
#define ERLBPF_BASE_PRIVILEGES_H

#include <stdint.h>

#define PRIVILEGE(capability) (UINT64_C(1) << (capability))

/* Those that we have: PRIVILEGE(CAP_...) of each. */
uint64_t privileges_held(void);

/*
 * Makes those effective that are only permitted. The file of a container image gives them so: with an effective bit,
 * the kernel would refuse to run it where the container lacks one of them.
 */
void privileges_raise(void);

/*
 * The user that privileges_leave_root() makes of this process and of those that it forks: one whom no other process
 * has. To be called once, at the start.
 */
void privileges_choose_user(void);

/*
 * Makes a process of root one of the chosen user, for good, with the capabilities that it has; one of another user
 * stays as it is. Files and processes of root are no longer its own: only a capability opens them. Without CAP_SETUID
 * and CAP_SETGID, or in a user namespace without such a user, it stays root. Nobody may look into the process
 * afterwards, and PR_SET_PDEATHSIG is to be set again.
 */
void privileges_leave_root(void);

/*
 * Keeps those of `wanted` that we have, and sets no_new_privs. Also empties the bounding set if CAP_SETPCAP allows
 * that; no_new_privs alone keeps us from getting any back otherwise. 0 or -errno.
 */
int privileges_keep(uint64_t wanted);

/*
 * System calls. Anything may use memory, time, threads, and the descriptors that it has, also to send and receive
 * others; the rest is named here. A call that is not allowed fails with EPERM, so that a C library of next year that
 * tries a new one goes on with the old one; what only an intruder would call ends the process.
 */
enum privileges_calls {
	CALLS_FILES = 1,     /* open files, only to read; list directories */
	CALLS_NODES = 2,     /* read the memory of processes, know their end */
	CALLS_MAPS = 4,	     /* read and write BPF maps that are open, run programs that are loaded */
	CALLS_TRACE = 8,     /* make maps, load programs, link them */
	CALLS_TERMINAL = 16, /* set the terminal, stop ourselves */
	CALLS_SERVE = 32,    /* sockets for who calls us */
	CALLS_CONNECT = 64,  /* call other machines */
	CALLS_SHED = 128,    /* privileges_keep() once more */
	CALLS_FORK = 256,    /* make processes, with a socket between, and a filter of their own on top of this one */
	CALLS_SIGNAL = 512,  /* end processes of which we have a pidfd */
};

/* After privileges_keep(). `calls`: of enum privileges_calls. 0 or -errno. */
int privileges_filter(unsigned int calls);

#endif
