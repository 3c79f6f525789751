/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams for what has more to do than to print. Who looks at a page of less, or has stopped his terminal, does not
 * read on, and a write to him lasts until he does.
 */
#ifndef ERLBPF_BASE_PATIENT_H
#define ERLBPF_BASE_PATIENT_H

#include <stdio.h>

typedef void patient_work(void *data);

struct patient;

/*
 * Writes to the fd, which stays the caller's. Write by patient_stream(), which is buffered and a terminal's by lines.
 * While a write lasts, `meanwhile`, which may be NULL, is called every PATIENT_MS or so; it must not write to the
 * stream. SIGALRM is ours from now on. NULL and errno.
 */
struct patient *patient_new(int fd, patient_work *meanwhile, void *data);

/*
 * The same to a file, which is closed with it; `flags`: O_APPEND or O_TRUNC. NULL: to standard output, behind what
 * stdio has for it. NULL and errno.
 */
struct patient *patient_open(const char *path, int flags, patient_work *meanwhile, void *data);

FILE *patient_stream(const struct patient *patient);

/* What it writes to. */
int patient_fd(const struct patient *patient);

/* 0 or -errno, also of what was written before: -EPIPE if the reader is gone. */
int patient_flush(struct patient *patient);

/* Flushes. */
void patient_free(struct patient *patient);

#define PATIENT_MS 5

#endif
