/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Of the kernel's types, what bpf/ reads: see README.md. Offsets here mean nothing. Those of the running kernel are put
 * in their place before a program is loaded (user/d/object/relocate.c, or libbpf).
 */
#ifndef ERLBPF_VMLINUX_H
#define ERLBPF_VMLINUX_H

#include <linux/types.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct mm_struct {
	unsigned long arg_start, arg_end;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct fs_struct {
	struct path root, pwd;
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
};

struct task_struct {
	int pid, tgid, exit_code;
	unsigned int __state;
	int on_cpu, on_rq, wake_cpu;
	char comm[16];
	struct signal_struct *signal;
	struct task_struct *real_parent, *group_leader;
	struct sched_entity se;
	struct mm_struct *mm;
	struct fs_struct *fs;
};

#pragma clang attribute pop

#endif
