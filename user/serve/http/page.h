/* SPDX-License-Identifier: BSD-2-Clause */
/* The page at / and its chart library, page.html and dygraph.min.js. */
#ifndef ERLBPF_SERVE_HTTP_PAGE_H
#define ERLBPF_SERVE_HTTP_PAGE_H

#include <stddef.h>

extern const char page[]; /* page_size bytes of it */
extern const size_t page_size;
extern const char page_charts[]; /* page_charts_size bytes */
extern const size_t page_charts_size;

/* The page may load and request only from its own origin. */
#define PAGE_POLICY                                                                                                    \
	"default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "       \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

#endif
