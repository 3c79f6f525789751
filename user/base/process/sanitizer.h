/* SPDX-License-Identifier: BSD-2-Clause */
/* A sanitizer keeps account of all memory, in more than what a limit of ours allows: then there is none. */
#ifndef ERLBPF_BASE_PROCESS_SANITIZER_H
#define ERLBPF_BASE_PROCESS_SANITIZER_H

#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

#endif
