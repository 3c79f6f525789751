/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Kernel structs about the running process. A program that uses one of these needs the types of the running kernel
 * (.reads_kernel in user/d/functions.c and builtins.c); see vmlinux/README.md.
 */
#ifndef ERLBPF_BPF_D_PROCESS_BPF_H
#define ERLBPF_BPF_D_PROCESS_BPF_H

#include "vmlinux.h"

#include <bpf/bpf_core_read.h>

#include "d/system.bpf.h"

#define D_GENERATIONS 32

/* A word of kernel memory, opaque to the verifier; 0 if it is unreadable. */
#define d_kernel_word(f, member)                                                                                       \
	({                                                                                                             \
		u64 *word_ = &(f)->spare[1];                                                                           \
		*word_ = 0;                                                                                            \
		bpf_core_read(word_, sizeof(*(member)), member);                                                       \
		*(volatile u64 *)word_;                                                                                \
	})

static __always_inline const struct task_struct *d_task(void)
{
	return (const struct task_struct *)bpf_get_current_task();
}

D_FUNCTION d_ppid(struct d_frame *f)
{
	const struct task_struct *parent = (const void *)d_kernel_word(f, &d_task()->real_parent);

	return d_kernel_word(f, &parent->tgid);
}

/* The kernel updates this at context switches and clock ticks: the time since then is missing. */
D_FUNCTION d_vtimestamp(struct d_frame *f)
{
	return d_kernel_word(f, &d_task()->se.sum_exec_runtime);
}

/* progenyof(pid): true if this process is or descends from that process. */
D_FUNCTION d_progenyof(struct d_frame *f, u64 pid)
{
	const struct task_struct *task = d_task();
	u64 is_it = d_opaque(f, 0);

	for (u64 i = 0; i < D_GENERATIONS; i++) {
		d_keep(i);
		is_it |= d_differs(d_kernel_word(f, &task->tgid), (u32)pid) ^ 1;
		task = (const void *)d_kernel_word(f, &task->real_parent);
	}
	return is_it;
}

#define D_PROCESS_ARGS 79 /* characters of pr_psargs: PRARGSZ of DTrace, less one */

/*
 * The command line, with a blank between arguments. It is in the memory of the process, so it is readable for the
 * running process only. For a kernel thread: its name.
 */
D_INSIDE d_psargs_in(struct d_frame *f, u64 dst, u64 task)
{
	const struct mm_struct *mm = (const void *)d_kernel_word(f, &((const struct task_struct *)task)->mm);
	u64 start = d_kernel_word(f, &mm->arg_start), end = d_kernel_word(f, &mm->arg_end);
	u64 most = d_most(d_string_size, D_PROCESS_ARGS), size = d_most(end - start, most);
	volatile char *text = d_at(f, dst);

	d_string_clear(f, dst);
	if (!mm || d_differs((u64)mm, d_kernel_word(f, &d_task()->mm)) || end <= start ||
	    bpf_probe_read_user(d_at(f, dst), size, (const void *)start)) {
		const struct task_struct *leader = (const void *)d_kernel_word(
			f, &((const struct task_struct *)task)->group_leader);

		bpf_probe_read_kernel_str(d_at(f, dst), most + 1, leader->comm);
		return 0;
	}
	/* The NUL after the last argument stays. */
	size = d_opaque(f, size - 1);
	for (u64 i = 0; i < most; i++) {
		d_keep(i);
		text[i] = d_select((d_differs(text[i], 0) ^ 1) & d_is_less(i, size), ' ', text[i]);
	}
	return 0;
}
D_ONCE_2(d_psargs, D_PLACE, D_VALUE)

#define D_PATH_NAMES D_WORK_WORDS	 /* names in a path: "..." replaces those above */
#define D_PATH_STEPS (D_PATH_NAMES + 16) /* and mount points on the way */
#define D_PATH_NAME 256

/*
 * Stores the addresses of the dentries from a directory up to a root into the words of the work memory, and returns
 * their number. At the root of a file system, the path continues at its mount point.
 */
static __always_inline u64 d_path_names(struct d_frame *f, const struct path *path, const struct path *root)
{
	u64 dentry = d_kernel_word(f, &path->dentry), mount_at = d_kernel_word(f, &path->mnt);
	u64 root_dentry = root ? d_kernel_word(f, &root->dentry) : 0, root_at = root ? d_kernel_word(f, &root->mnt) : 0;
	u64 in_mount = bpf_core_field_offset(struct mount, mnt), count = d_opaque(f, 0);
	volatile u64 *names = d_work(f)->words;

	for (u64 i = 0; i < D_PATH_STEPS; i++) {
		const struct mount *mount = (const void *)(mount_at - in_mount);
		const struct vfsmount *tree = (const void *)mount_at;

		d_keep(i);
		if (count >= D_PATH_NAMES || (dentry == root_dentry && mount_at == root_at))
			break;
		if (dentry == d_kernel_word(f, &tree->mnt_root)) {
			u64 above = d_kernel_word(f, &mount->mnt_parent);

			if (above == (u64)mount)
				break;
			dentry = d_kernel_word(f, &mount->mnt_mountpoint);
			mount_at = above + in_mount;
			continue;
		}
		names[count & (D_PATH_NAMES - 1)] = dentry;
		count = d_opaque(f, count + 1);
		dentry = d_kernel_word(f, &((const struct dentry *)dentry)->d_parent);
	}
	return count;
}

static __always_inline u64 d_path_text(struct d_frame *f, u64 dst, const struct path *path, const struct path *root)
{
	u64 count = d_path_names(f, path, root), at = d_opaque(f, 0);
	volatile u64 *names = d_work(f)->words;
	volatile char *text = d_work(f)->text;

	d_string_clear(f, dst);
	text[0] = '/';
	text[1] = '\0';
	if (count >= D_PATH_NAMES) {
		text[0] = text[1] = text[2] = '.';
		at = d_opaque(f, 3);
	}
	for (u64 i = 0; i < D_PATH_NAMES; i++) {
		const struct dentry *dentry;
		s64 size;

		d_keep(i);
		if (!count || at > D_WORK_TEXT - D_PATH_NAME - 1)
			break;
		count = d_opaque(f, count - 1);
		dentry = (const void *)names[count & (D_PATH_NAMES - 1)];
		text[at] = '/';
		size = bpf_probe_read_kernel_str((char *)text + at + 1, D_PATH_NAME,
						 (const void *)d_kernel_word(f, &dentry->d_name.name));
		at = d_opaque(f, at + (size > 0 ? size : 1));
	}
	bpf_probe_read_kernel_str(d_at(f, dst), d_string_size + 1, (const void *)text);
	return 0;
}

/* d_path(path), cwd and root: relative to the root of the process. */
D_INSIDE d_d_path_in(struct d_frame *f, u64 dst, u64 path)
{
	const struct fs_struct *fs = (const void *)d_kernel_word(f, &d_task()->fs);

	if (bpf_core_read(&f->spare[1], sizeof(u64), &((const struct path *)path)->dentry))
		return d_fault(f, D_FAULT_BADADDR, path);
	return d_path_text(f, dst, (const struct path *)path, &fs->root);
}
D_ONCE_2(d_d_path, D_PLACE, D_VALUE)

D_INSIDE d_cwd_in(struct d_frame *f, u64 dst)
{
	const struct fs_struct *fs = (const void *)d_kernel_word(f, &d_task()->fs);

	return d_path_text(f, dst, &fs->pwd, &fs->root);
}
D_ONCE_1(d_cwd, D_PLACE)

D_INSIDE d_root_in(struct d_frame *f, u64 dst)
{
	const struct fs_struct *fs = (const void *)d_kernel_word(f, &d_task()->fs);

	return d_path_text(f, dst, &fs->root, NULL);
}
D_ONCE_1(d_root, D_PLACE)

#endif
