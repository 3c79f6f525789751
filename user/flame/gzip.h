/* SPDX-License-Identifier: BSD-2-Clause */
/* What is written to a file, compressed on its way. */
#ifndef ERLBPF_FLAME_GZIP_H
#define ERLBPF_FLAME_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <zlib.h>

struct gzip {
	z_stream stream;
	FILE *to;
};

/* 0 or -ENOMEM; then gzip_end() has to be called. */
int gzip_begin(struct gzip *gzip, FILE *to);

void gzip_write(struct gzip *gzip, const uint8_t *data, size_t size);
void gzip_end(struct gzip *gzip);

#endif
