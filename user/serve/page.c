// SPDX-License-Identifier: BSD-2-Clause
#include "serve/page.h"

__asm__(".section .rodata\n"
	".global page\n"
	".global page_size\n"
	"page:\n"
	".incbin \"user/serve/page.html\"\n"
	".set page_length, . - page\n"
	".balign 8\n"
	"page_size:\n"
	".quad page_length\n"
	".previous\n");
