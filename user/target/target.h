/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets: the BEAMs on this machine. A BEAM is any process whose executable exports the native
 * interfaces of the Erlang VM, whatever it is called and wherever it lies; it is looked at through
 * the /proc/PID/exe link itself, never through the path that the link shows.
 */
#ifndef ERLBPF_TARGET_TARGET_H
#define ERLBPF_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/image/image.h"

enum flavor { FLAVOR_UNKNOWN, FLAVOR_JIT, FLAVOR_EMU };

/* What does not change from one process of an executable to the next. Shared, counted. */
struct vm {
	struct image *image;
	int fd; /* of the executable; the kernel is given this file and no path */
	uint64_t device, inode;
	unsigned int users;
	int otp;	      /* release, 0 if not known */
	int like;	      /* the release whose structures it has: the newest known of those that are newer
				 (node/atoms/newer_release.h) */
	bool is_checked;      /* that was compared with the node (node/code/verify.h) */
	const char *mismatch; /* why it has those of none, NULL */
	char erts[16];	      /* version, "" if not known */
	enum flavor flavor;
	bool has_notes;				    /* built --with-dynamic-trace=systemtap */
	bool has_no_frame_pointer, has_large_mutex; /* as image.h has them: node/memory/fields.h */
	bool has_functions;			    /* exports functions that translators need, though maybe not all */
	void *notes;				    /* kept by probe/sites/note_sites.c, freed with free_notes */
	void (*free_notes)(void *notes);
	void *bifs; /* kept by probe/bifs.c, freed with free_bifs */
	void (*free_bifs)(void *bifs);
};

#define OTP_NEWEST 29 /* known release: it has rows in probes/translators.def and probes/fields.def */

static inline void vm_set_release(struct vm *vm, int otp)
{
	vm->otp = otp;
	vm->like = otp > OTP_NEWEST ? OTP_NEWEST : otp;
}

/*
 * The executable of a process, shared with other processes that run it; the caller gives it back with vm_put(). 0,
 * -ESRCH, -EACCES, -ENOEXEC (*why), -ETIMEDOUT, or -EAGAIN while it is being read, in a hurry (reader.h). *why is valid
 * until the next call.
 */
int vm_get(pid_t pid, struct vm **vm, const char **why);
void vm_put(struct vm *vm);

struct target {
	pid_t pid;
	uint64_t start_time; /* with the pid, its identity */
	uint32_t os_id;	     /* the same in a trace: erl_os_id() of bpf/erl.h; the pid, if it is not followed */
	int pidfd;	     /* readable when the process has ended */
	struct vm *vm;
	uint64_t moved; /* its file, in its memory; if has_moved */
	bool has_moved;
	uint64_t settled_ns; /* when its name was read again */
	char node[256];	     /* "" if it has no name */
	char container[65];  /* id, "" outside of containers */
	char exe[256];	     /* for people only: what the link shows */
};

/*
 * Look at one process. 0, -ESRCH, -EACCES, -ENOEXEC if it is no BEAM (*why says more), -ETIMEDOUT if it cannot be read
 * in time, or -EAGAIN if it is being read (reader_hurry()).
 */
int target_open(pid_t pid, struct target **target, const char **why);
void target_free(struct target *target);

/* The process has ended: there is nothing to wait for, so its pidfd is closed. */
void target_end(struct target *target);

/* Seconds since it started. */
double target_age_s(const struct target *target);

/* Is it still the process that was opened? */
bool target_is_alive(const struct target *target);

/* Read the node's name again: it may have become one since. */
void target_refresh_node(struct target *target);

/*
 * The same, but not more often than is of use, and not if its name is whole: what the command line of a node says
 * ("-sname x") is half of one.
 */
void target_settle_node(struct target *target);

/* It has half a name, or none, and something says that it will have one when it has started. */
bool target_may_be_named_soon(const struct target *target);

/* Virtual address in the process of an address in its file. 0 or -errno. */
int target_address(const struct target *target, uint64_t file_address, uint64_t *address);

/* The same of a symbol of its file. 0; -ENOENT: the file has none of this name, or it is not known; or another -errno.
 */
int target_symbol(const struct target *target, const char *name, uint64_t *address);

/*
 * What lies at an address of the process, hostile: "symbol" or "symbol+0x10" of the executable's data, and
 * "~symbol+0x10" where it lies behind the last symbol that is known. 0, or -ENOENT if it is elsewhere.
 */
int target_symbol_at(const struct target *target, uint64_t address, char *text, size_t size);

const char *flavor_name(enum flavor flavor);

struct target_list {
	struct target **targets;
	size_t count;
	size_t awaited; /* processes that are being read (reader_hurry()): another scan will know what they are */
};

/* Adds every BEAM that runs now, that we may look at, and that it does not have. 0 or -errno. */
int target_list_scan(struct target_list *list);
int target_list_add(struct target_list *list, struct target *target);
struct target *target_list_find(const struct target_list *list, pid_t pid);
void target_list_free(struct target_list *list);

#endif
