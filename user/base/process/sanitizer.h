/* SPDX-License-Identifier: BSD-2-Clause */
/* A sanitizer needs more memory than our limits allow, so there is no limit with it. */
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
