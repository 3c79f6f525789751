/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens a file in a tree that belongs to somebody else, such as the root of a container: its links are followed as they
 * would be in there, and none leads out of it. As openat2(2) with RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS, which a
 * filter of system calls cannot allow only for reading (base/privileges.h).
 */
#ifndef ERLBPF_BASE_WITHIN_H
#define ERLBPF_BASE_WITHIN_H

/* To read, without waiting for a writer. The descriptor, or -1 and errno. */
int open_within(const char *root, const char *path);

#endif
