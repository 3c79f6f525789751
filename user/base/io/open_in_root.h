/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a file in a tree that belongs to somebody else, such as the root of a container: its links are followed as they
 * would be in there, and none leads out of it. As openat2(2) with RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS, which a
 * filter of system calls cannot allow only for reading (base/process/privileges.h).
 */
#ifndef ERLBPF_BASE_IO_OPEN_IN_ROOT_H
#define ERLBPF_BASE_IO_OPEN_IN_ROOT_H

/* To read. The descriptor, or -1 and errno: see open_regular(). */
int open_in_root(const char *root, const char *path);

/*
 * To read what was opened with O_PATH. The descriptor, or -1 and errno: EINVAL if it is no regular file. To open a
 * device may do something, and whoever opens a pipe may wait for its writer.
 */
int open_regular(int fd);

#endif
