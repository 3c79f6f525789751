// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page.h"

__asm__(".section .rodata\n"
	".global page_begin\n"
	".global page_end\n"
	"page_begin:\n"
	".incbin \"user/serve/page.html\"\n"
	"page_end:\n"
	".byte 0\n"
	".previous\n");
