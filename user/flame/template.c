// SPDX-License-Identifier: BSD-2-Clause
#include "flame/template.h"

#define EMBED(name, file)                                                                                              \
	__asm__(".section .rodata\n"                                                                                   \
		".global " name "\n"                                                                                   \
		".global " name "_size\n" name ":\n"                                                                   \
		".incbin \"" file "\"\n"                                                                               \
		".set " name "_length, . - " name "\n"                                                                 \
		".balign 8\n" name "_size:\n"                                                                          \
		".quad " name "_length\n"                                                                              \
		".previous\n")

EMBED("flame_html", "user/flame/flame.html");
EMBED("flame_svg_script", "user/flame/flame_svg.js");
