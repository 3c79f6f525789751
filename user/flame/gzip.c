// SPDX-License-Identifier: BSD-2-Clause
#include "flame/gzip.h"

#include <errno.h>

#define AS_GZIP (15 + 16) /* bits of the window, and the format: zlib.h */
#define MEMORY_LEVEL 8

int gzip_begin(struct gzip *gzip, FILE *to)
{
	*gzip = (struct gzip){ .to = to };
	return deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, AS_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY)
		       ? -ENOMEM
		       : 0;
}

/* Writes until what was given is taken; with Z_FINISH, until nothing is left. */
static void run(struct gzip *gzip, int flush)
{
	uint8_t out[16384];

	do {
		gzip->stream.next_out = out;
		gzip->stream.avail_out = sizeof(out);
		deflate(&gzip->stream, flush);
		fwrite(out, 1, sizeof(out) - gzip->stream.avail_out, gzip->to);
	} while (!gzip->stream.avail_out);
}

void gzip_write(struct gzip *gzip, const uint8_t *data, size_t size)
{
	gzip->stream.next_in = (uint8_t *)data;
	gzip->stream.avail_in = (unsigned int)size;
	run(gzip, Z_NO_FLUSH);
}

void gzip_end(struct gzip *gzip)
{
	run(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
}
