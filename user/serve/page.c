// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page.h"

#define EMBED(name, file)                                                                                              \
	__asm__(".section .rodata\n"                                                                                   \
		".global " name "\n"                                                                                   \
		".global " name "_size\n" name ":\n"                                                                   \
		".incbin \"" file "\"\n"                                                                               \
		".set " name "_length, . - " name "\n"                                                                 \
		".balign 8\n" name "_size:\n"                                                                          \
		".quad " name "_length\n"                                                                              \
		".previous\n")

EMBED("page", "user/serve/page.html");
EMBED("page_charts", "user/serve/dygraph.min.js");
