/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/* Byte order, network addresses, and device numbers. */
#ifndef ERLBPF_BPF_D_NET_BPF_H
#define ERLBPF_BPF_D_NET_BPF_H

#include "d/string.bpf.h"

#define D_AF_INET 2
#define D_AF_INET6 10
#define D_ETHERNET 1	/* ARPHRD_ETHER */
#define D_INFINIBAND 32 /* ARPHRD_INFINIBAND */
#define D_LINK_MOST 20	/* bytes of a link-layer address */

#define D_SWAP(name, swap)                                                                                             \
	D_FUNCTION name(struct d_frame *f, u64 value)                                                                  \
	{                                                                                                              \
		(void)f;                                                                                               \
		return swap(value);                                                                                    \
	}

D_SWAP(d_htons, __builtin_bswap16)
D_SWAP(d_htonl, __builtin_bswap32)
D_SWAP(d_htonll, __builtin_bswap64)
D_SWAP(d_ntohs, __builtin_bswap16)
D_SWAP(d_ntohl, __builtin_bswap32)
D_SWAP(d_ntohll, __builtin_bswap64)

D_FUNCTION d_rand(struct d_frame *f)
{
	(void)f;
	return bpf_get_prandom_u32();
}

/* A dev_t in kernel memory: 12 bits and 20. */
D_FUNCTION d_getmajor(struct d_frame *f, u64 device)
{
	(void)f;
	return (u32)device >> 20;
}

D_FUNCTION d_getminor(struct d_frame *f, u64 device)
{
	(void)f;
	return device & 0xfffff;
}

/* Copies the address that the program points to into the work words from `at` on, or stores the value itself. */
static __always_inline bool d_net_read(struct d_frame *f, u64 pointer, u64 size)
{
	u64 *words = d_text_words(f);

	if (!bpf_probe_read(words, size, (const void *)pointer))
		return true;
	d_fault(f, D_FAULT_BADADDR, pointer);
	return false;
}

/* 1.2.3.4 */
static __always_inline void d_put_old(struct d_frame *f, const volatile u8 *bytes)
{
	for (u64 i = 0; i < 4; i++) {
		d_keep(i);
		d_put_if(f, '.', i > 0);
		d_put_number(f, bytes[i], D_TOP_3);
	}
}

static __always_inline u64 d_net_4(struct d_frame *f, u64 dst, u64 pointer)
{
	const volatile u8 *bytes = (const volatile u8 *)d_text_words(f);

	if (!d_net_read(f, pointer, 4))
		return 0;
	d_text_begin(f);
	d_put_old(f, bytes);
	return d_text_give(f, dst, d_string_size);
}

/*
 * The longest run of zero groups, at least two, the first of equals: *start and *size; 8 and 0 if there is none. "::"
 * replaces it.
 */
static __always_inline void d_net_zeros(struct d_frame *f, u64 *start, u64 *size)
{
	const volatile __u16 *groups = (const volatile __u16 *)d_text_words(f);
	u64 run = d_opaque(f, 0), best = d_opaque(f, 1), at = d_opaque(f, 8), more;

	for (u64 i = 0; i < 8; i++) {
		d_keep(i);
		run = (run + 1) & (d_differs(groups[i], 0) - 1);
		more = -d_is_less(best, run);
		best ^= (best ^ run) & more;
		at ^= (at ^ (i + 1 - run)) & more;
	}
	*start = d_opaque(f, at);
	*size = d_opaque(f, best & -d_is_less(1, best));
}

static __always_inline void d_put_digit(struct d_frame *f, u64 digit, u64 is_wanted)
{
	d_put_if(f, digit + '0' + ((-d_is_less(9, digit)) & ('a' - '0' - 10)), is_wanted);
}

/* A group in hexadecimal, if wanted. Without branches, each of which the verifier would follow. */
static __always_inline void d_put_group(struct d_frame *f, u64 group, u64 is_wanted)
{
	u64 digit, started = d_opaque(f, 0);

	for (u64 i = 0; i < 4; i++) {
		d_keep(i);
		digit = group >> (12 - 4 * i) & 15;
		started |= d_differs(digit, 0) | (i == 3);
		d_put_digit(f, digit, started & is_wanted);
	}
}

/* ::1.2.3.4 and ::ffff:1.2.3.4 */
static __always_inline u64 d_net_is_old(const volatile __u16 *groups, u64 start, u64 size)
{
	u64 mapped = d_differs(size, 5) | d_differs(groups[5], 0xffff);

	return ((mapped & d_differs(size, 6)) | d_differs(start, 0)) ^ 1;
}

static __always_inline u64 d_net_6(struct d_frame *f, u64 dst, u64 pointer)
{
	const volatile __u16 *groups = (const volatile __u16 *)d_text_words(f);
	const volatile u8 *bytes = (const volatile u8 *)groups;
	u64 start, size, end, is_left, is_put, is_old;

	if (!d_net_read(f, pointer, 16))
		return 0;
	d_text_begin(f);
	d_net_zeros(f, &start, &size);
	end = start + size;
	is_old = d_opaque(f, d_net_is_old(groups, start, size));
	for (u64 i = 0; i < 8; i++) {
		d_keep(i);
		is_left = (i < 6) | (is_old ^ 1);
		is_put = (d_is_less(i, start) | (d_is_less(i, end) ^ 1)) & is_left;
		d_put_if(f, ':', (is_put & (i > 0)) | (d_differs(i, start) ^ 1));
		d_put_group(f, __builtin_bswap16(groups[i]), is_put);
	}
	d_put_if(f, ':', is_old | (d_is_less(0, size) & (d_differs(end, 8) ^ 1)));
	d_meet();
	if (is_old)
		d_put_old(f, bytes + 12);
	d_meet();
	return d_text_give(f, dst, d_string_size);
}

/* inet_ntoa(&address), for an in_addr_t */
D_INSIDE d_inet_ntoa_in(struct d_frame *f, u64 dst, u64 pointer)
{
	d_string_clear(f, dst);
	return d_net_4(f, dst, pointer);
}
D_ONCE_2(d_inet_ntoa, D_PLACE, D_VALUE)

/* True for an IPv4 address: ::ffff:1.2.3.4, or ::1.2.3.4 except :: and ::1. */
static __always_inline u64 d_net_is_embedded(const volatile __u16 *groups)
{
	u64 before = groups[0] | groups[1] | groups[2] | groups[3] | groups[4];
	u64 compatible = (d_differs(groups[6], 0) | d_is_less(1, __builtin_bswap16(groups[7]))) &
			 (d_differs(groups[5], 0) ^ 1);

	return (d_differs(before, 0) ^ 1) & (compatible | (d_differs(groups[5], 0xffff) ^ 1));
}

/* inet_ntoa6(&address), for a struct in6_addr: shows an embedded IPv4 address as such. */
D_INSIDE d_inet_ntoa6_in(struct d_frame *f, u64 dst, u64 pointer)
{
	d_string_clear(f, dst);
	if (!d_net_read(f, pointer, 16))
		return 0;
	if (d_net_is_embedded((const volatile __u16 *)d_text_words(f)))
		return d_net_4(f, dst, pointer + 12);
	return d_net_6(f, dst, pointer);
}
D_ONCE_2(d_inet_ntoa6, D_PLACE, D_VALUE)

/* inet_ntoa6(&address, is_strict): if strict, shows every address as IPv6. */
D_INSIDE d_inet_ntoa6_n_in(struct d_frame *f, u64 dst, u64 pointer, u64 is_strict)
{
	if (!is_strict)
		return d_inet_ntoa6(f, dst, pointer);
	d_string_clear(f, dst);
	return d_net_6(f, dst, pointer);
}
D_ONCE_3(d_inet_ntoa6_n, D_PLACE, D_VALUE, D_VALUE)

/* inet_ntop(family, address) */
D_INSIDE d_inet_ntop_in(struct d_frame *f, u64 dst, u64 family, u64 pointer)
{
	d_string_clear(f, dst);
	if (family == D_AF_INET)
		return d_net_4(f, dst, pointer);
	if (family == D_AF_INET6)
		return d_net_6(f, dst, pointer);
	return d_fault(f, D_FAULT_ILLOP, family);
}
D_ONCE_3(d_inet_ntop, D_PLACE, D_VALUE, D_VALUE)

/* link_ntop(hardware, address): 02:42:ac:11:00:02 */
D_INSIDE d_link_ntop_in(struct d_frame *f, u64 dst, u64 hardware, u64 pointer)
{
	const volatile u8 *bytes = (const volatile u8 *)d_text_words(f);
	u64 count = d_opaque(f, hardware == D_INFINIBAND ? D_LINK_MOST : 6);

	d_string_clear(f, dst);
	if (hardware != D_ETHERNET && hardware != D_INFINIBAND)
		return d_fault(f, D_FAULT_ILLOP, hardware);
	if (!d_net_read(f, pointer, hardware == D_INFINIBAND ? D_LINK_MOST : 6))
		return 0;
	d_text_begin(f);
	for (u64 i = 0; i < D_LINK_MOST; i++) {
		u64 is_wanted;

		d_keep(i);
		is_wanted = d_is_less(i, count);
		d_put_if(f, ':', is_wanted & (i > 0));
		d_put_digit(f, bytes[i] >> 4, is_wanted);
		d_put_digit(f, bytes[i] & 15, is_wanted);
	}
	return d_text_give(f, dst, d_string_size);
}
D_ONCE_3(d_link_ntop, D_PLACE, D_VALUE, D_VALUE)

#endif
