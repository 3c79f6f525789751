/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of dirty I/O schedulers that wait in the kernel for a file or a disk. */
#ifndef ERLBPF_WHY_HOST_IO_WAITS_H
#define ERLBPF_WHY_HOST_IO_WAITS_H

#include "node/processes/processes.h"
#include "node/processes/schedulers.h"
#include "why/source/signs.h"
#include "why/host/threads.h"

struct io_waits;

/* All but the threads is borrowed, and must outlive it. NULL and errno. */
struct io_waits *io_waits_new(const struct target *target, struct schedulers *schedulers, struct processes *processes,
			      const struct threads *threads);
void io_waits_free(struct io_waits *waits);

/* Look once: some times a second. */
void io_waits_look(struct io_waits *waits);

/* Into the signs: io_wait. */
void io_waits_finish(const struct io_waits *waits, struct signs *signs);

#endif
