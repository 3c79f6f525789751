/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a file in an untrusted tree, such as the root of a container. Links are resolved inside this root and cannot
 * leave it, as with openat2(2) and RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS. A seccomp filter cannot restrict openat2(2)
 * to reading (base/process/privileges.h).
 */
#ifndef ERLBPF_BASE_IO_OPEN_IN_ROOT_H
#define ERLBPF_BASE_IO_OPEN_IN_ROOT_H

/* Opens for reading. The descriptor, or -1 and errno as open_regular(). */
int open_in_root(const char *root, const char *path);

/*
 * Opens a descriptor of O_PATH for reading. The descriptor, or -1 and errno: EINVAL if it is no regular file. Opening a
 * device can have side effects, and opening a pipe can block.
 */
int open_regular(int fd);

#endif
