/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_IO_SHORTAGE_H
#define ERLBPF_BASE_IO_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/* We ourselves have no descriptor or memory left: -errno that says nothing of what was looked at. */
static inline bool is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -ENOBUFS;
}

#endif
