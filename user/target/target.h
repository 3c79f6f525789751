/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Targets: the BEAMs on this machine. A BEAM is any process whose executable exports the native interfaces of the
 * Erlang VM, whatever its name or path. It is opened through /proc/PID/exe itself, never through the path that the link
 * shows.
 */
#ifndef ERLBPF_TARGET_TARGET_H
#define ERLBPF_TARGET_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "target/image/image.h"

enum flavor { FLAVOR_UNKNOWN, FLAVOR_JIT, FLAVOR_EMU };

/* What all processes of an executable have in common. Reference-counted. */
struct vm {
	struct image *image;
	int fd; /* of the executable, which the kernel is given instead of a path */
	uint64_t device, inode;
	unsigned int users;
	int otp;  /* release, 0 if unknown */
	int like; /* the release whose structures it has: its own, or the newest known one (node/atoms/newer_release.h)
		   */
	bool is_checked;      /* `like` was verified with a node (node/code/verify.h) */
	const char *mismatch; /* why the verification failed, or NULL */
	char erts[16];	      /* version, "" if unknown */
	enum flavor flavor;
	bool has_notes;				    /* built --with-dynamic-trace=systemtap */
	bool has_no_frame_pointer, has_large_mutex; /* as in image.h; see node/memory/fields.h */
	bool has_functions;			    /* exports at least some of the functions that translators need */
	void *notes;				    /* owned by probe/sites/note_sites.c, freed with free_notes */
	void (*free_notes)(void *notes);
	void *bifs; /* owned by probe/bifs.c, freed with free_bifs */
	void (*free_bifs)(void *bifs);
};

#define OTP_NEWEST 29 /* the newest release with rows in probes/translators.def and probes/fields.def */

static inline void vm_set_release(struct vm *vm, int otp)
{
	vm->otp = otp;
	vm->like = otp > OTP_NEWEST ? OTP_NEWEST : otp;
}

/*
 * The executable of a process. The caller releases it with vm_put(). 0, -ESRCH, -EACCES, -ENOEXEC (*why), -ETIMEDOUT,
 * or -EAGAIN while it is being read (reader_hurry()). *why is valid until the next call.
 */
int vm_get(pid_t pid, struct vm **vm, const char **why);
void vm_put(struct vm *vm);

struct target {
	pid_t pid;
	uint64_t start_time; /* with the pid, it identifies the process */
	uint32_t os_id;	     /* unique in a trace: erl_os_id() of bpf/erl.h; the pid, if it is not traced */
	int pidfd;	     /* readable when the process has ended */
	struct vm *vm;
	uint64_t moved; /* load bias of its executable; valid if has_moved */
	bool has_moved;
	uint64_t settled_ns; /* when its name was last read */
	char node[256];	     /* "" if unnamed */
	char container[65];  /* id, "" outside of containers */
	char exe[256];	     /* for display only: the text of the link */
};

/*
 * Opens a process. 0, -ESRCH, -EACCES, -ENOEXEC if it is no BEAM (*why says more), -ETIMEDOUT, or -EAGAIN while it is
 * being read (reader_hurry()).
 */
int target_open(pid_t pid, struct target **target, const char **why);
void target_free(struct target *target);

/* Closes the pidfd of a process that has ended. */
void target_end(struct target *target);

/* Seconds since the process started. */
double target_age_s(const struct target *target);

/* Does the process that was opened still run? */
bool target_is_alive(const struct target *target);

/* Reads the node's name again: it may have become distributed. */
void target_refresh_node(struct target *target);

/*
 * Reads the node's name again if it is incomplete, at limited intervals. The command line has only a part of a name
 * ("-sname x").
 */
void target_settle_node(struct target *target);

/* True if its name is missing or incomplete, and there are signs that it will get one. */
bool target_may_be_named_soon(const struct target *target);

/* The address in the process for an address in its file. 0 or -errno. */
int target_address(const struct target *target, uint64_t file_address, uint64_t *address);

/*
 * The address in the process of a symbol. 0, -ENOENT if the symbol is missing or its file unknown, or another -errno.
 */
int target_symbol(const struct target *target, const char *name, uint64_t *address);

/*
 * A text for an address in the executable's data: "symbol", "symbol+0x10", or "~symbol+0x10" after the end of the last
 * known symbol. Hostile. 0, or -ENOENT if it is elsewhere.
 */
int target_symbol_at(const struct target *target, uint64_t address, char *text, size_t size);

const char *flavor_name(enum flavor flavor);

struct target_list {
	struct target **targets;
	size_t count;
	size_t awaited; /* processes that are being read (reader_hurry()); the next scan may add them */
};

/* Adds all running BEAMs that we may read and that are not in the list. 0 or -errno. */
int target_list_scan(struct target_list *list);
int target_list_add(struct target_list *list, struct target *target);
struct target *target_list_find(const struct target_list *list, pid_t pid);
void target_list_free(struct target_list *list);

#endif
