/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef ERLBPF_BASE_ARCH_H
#define ERLBPF_BASE_ARCH_H

enum arch { ARCH_X86_64, ARCH_AARCH64 };

#ifdef __aarch64__
#define ARCH_NATIVE ARCH_AARCH64
#else
#define ARCH_NATIVE ARCH_X86_64
#endif

#endif
