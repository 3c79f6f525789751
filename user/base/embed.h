/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds a file of the tree in the program: NAME[] and size_t NAME_size, which the caller declares. */
#ifndef ERLBPF_BASE_EMBED_H
#define ERLBPF_BASE_EMBED_H

#define EMBED(name, file)                                                                                              \
	__asm__(".section .rodata\n"                                                                                   \
		".global " name "\n"                                                                                   \
		".global " name "_size\n" name ":\n"                                                                   \
		".incbin \"" file "\"\n"                                                                               \
		".set " name "_length, . - " name "\n"                                                                 \
		".balign 8\n" name "_size:\n"                                                                          \
		".quad " name "_length\n"                                                                              \
		".previous\n")

#endif
