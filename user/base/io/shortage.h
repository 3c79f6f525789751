/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_IO_SHORTAGE_H
#define ERLBPF_BASE_IO_SHORTAGE_H

#include <errno.h>
#include <stdbool.h>

/* This process lacks descriptors or memory: the error says nothing about the object that was read. */
static inline bool is_shortage(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM || err == -ENOBUFS;
}

#endif
