/* SPDX-License-Identifier: BSD-2-Clause */
/* The page at /: page.html as it is in the tree, within the program. */
#ifndef ERLBPF_SERVE_PAGE_H
#define ERLBPF_SERVE_PAGE_H

#include <stddef.h>

extern const char page[]; /* page_size bytes of it */
extern const size_t page_size;

/* It asks nobody but who served it; what it runs is in it. */
#define PAGE_POLICY                                                                                                    \
	"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "              \
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

#endif
