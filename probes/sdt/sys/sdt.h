/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * systemtap's <sys/sdt.h>, with a nop of five bytes behind the nop of every site, as other headers of this name have
 * it. For tests: erlbpf puts its probes on the nop (see check_site() in user/probe/sites/note.c). Put this folder before the
 * system's.
 */
#ifndef ERLBPF_SYS_SDT_H
#define ERLBPF_SYS_SDT_H

#include_next <sys/sdt.h>

#ifdef __x86_64__
#undef _SDT_NOP
/* 0f 1f 44 00 00, nopl 0(%rax,%rax): written without commas, which the macros would take apart. */
#define _SDT_NOP nop; .long 0x00441f0f; .byte 0
#endif

#endif
