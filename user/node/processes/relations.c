// SPDX-License-Identifier: BSD-2-Clause
/*
 * A process has a tree of its links, one of the monitors that it created, and a ring of the monitors that others have
 * on it. All consist of the same node (ErtsMonLnkNode): its position in the tree or ring, the other end as a term
 * (`link.other`), then flags and the type. All of it may change or be freed during the read: the number of visited
 * nodes is limited, and an unreadable node ends the walk.
 *
 * Source: erl_monitor_link.h (ErtsMonLnkTreeNode, ErtsMonLnkListNode, ERTS_MON_TYPE_...) and the lists of
 * process_info/2 in erl_bif_info.c; fields as in probes/fields.def. The type has its own 16 bits up to OTP 27, and is
 * the low five bits of the flags in OTP 29.
 */
#include "node/processes/relations.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "node/memory/fields.h"
#include "target/reader/procfs.h"

#define NODE_SIZE 48 /* at most; it has 40 bytes in OTP 25 */
#define NODE_NEXT 0  /* of a ring */
#define NODE_RIGHT 8 /* of a tree */
#define NODE_LEFT 16
#define MOST_VISITED 1024
#define MOST_WAITING 64 /* subtrees; the height of a red-black tree keeps it below this */
#define TYPE_MASK 0xf	/* enough for all types */
/* The state of a monitor's alias: two bits of the flags, which precede the type or, in OTP 29, contain it. */
#define ALIAS_BEFORE_29 11
#define ALIAS_29 5
#define ALIAS_MASK 3
#define ALIAS_CALL 2 /* until a reply or demonitor: gen:call() with a timeout uses it */

enum type {
	TYPE_PROCESS,
	TYPE_PORT,
	TYPE_TIME_OFFSET,
	TYPE_DIST_PROCESS,
	TYPE_DIST_PORT,
	TYPE_RESOURCE,
	TYPE_NODE,
	TYPE_NODES,
	TYPE_SUSPEND,
	TYPE_ALIAS,
};

struct reading {
	const struct target *target;
	int64_t other, type;
	size_t visited;
};

struct relation_node {
	uint64_t next, right, left, other;
	unsigned int type;
	bool is_call;
};

static void parse_node(const struct reading *r, const char *bytes, struct relation_node *node)
{
	uint16_t type;

	memcpy(&node->next, bytes + NODE_NEXT, 8);
	memcpy(&node->right, bytes + NODE_RIGHT, 8);
	memcpy(&node->left, bytes + NODE_LEFT, 8);
	memcpy(&node->other, bytes + r->other, 8);
	memcpy(&type, bytes + r->type, sizeof(type));
	node->type = type & TYPE_MASK;
	if (r->target->vm->otp < 29)
		memcpy(&type, bytes + r->type - sizeof(type), sizeof(type));
	node->is_call = (type >> (r->target->vm->otp < 29 ? ALIAS_BEFORE_29 : ALIAS_29) & ALIAS_MASK) == ALIAS_CALL;
}

static bool read_node(struct reading *r, uint64_t address, struct relation_node *node)
{
	char bytes[NODE_SIZE];

	if (r->visited++ >= MOST_VISITED ||
	    procfs_memory(r->target->pid, address, bytes, (size_t)r->type + sizeof(uint16_t)))
		return false;
	parse_node(r, bytes, node);
	return true;
}

/* As in process_info/2: monitors of suspensions and aliases are hidden. Links have types above these. */
static bool is_listed(const struct relation_node *node)
{
	return node->other && node->type != TYPE_RESOURCE && node->type != TYPE_NODE && node->type != TYPE_NODES &&
	       node->type != TYPE_SUSPEND && node->type != TYPE_ALIAS;
}

static void add(struct relation_list *list, const struct relation_node *node)
{
	if (!is_listed(node))
		return;
	if (list->count < RELATIONS_MAX)
		list->terms[list->count] = node->other;
	list->count++;
}

/* `asked`: set to the process whose reply is awaited; NULL for links. */
static void read_tree(struct reading *r, uint64_t root, struct relation_list *list, uint64_t *asked)
{
	uint64_t waiting[MOST_WAITING];
	struct relation_node node;
	size_t count = 0;

	r->visited = 0;
	if (root)
		waiting[count++] = root;
	while (count && read_node(r, waiting[--count], &node)) {
		add(list, &node);
		if (asked && node.is_call && is_listed(&node))
			*asked = node.other;
		if (node.right && count < MOST_WAITING)
			waiting[count++] = node.right;
		if (node.left && count < MOST_WAITING)
			waiting[count++] = node.left;
	}
}

static void read_ring(struct reading *r, uint64_t first, struct relation_list *list)
{
	struct relation_node node;
	uint64_t at = first;

	r->visited = 0;
	while (at && read_node(r, at, &node)) {
		add(list, &node);
		at = node.next == first ? 0 : node.next;
	}
}

static int read_root(const struct reading *r, uint64_t process, const char *field, uint64_t *root)
{
	int64_t offset;

	if (field_offset(r->target->vm, field, &offset))
		return -ENOENT;
	return procfs_memory(r->target->pid, process + (uint64_t)offset, root, sizeof(*root));
}

static int find_fields(struct reading *r)
{
	if (field_offset(r->target->vm, "link.other", &r->other) ||
	    field_offset(r->target->vm, "link.type", &r->type) || r->type + 2 > NODE_SIZE || r->other + 8 > r->type)
		return -ENOENT;
	return 0;
}

int relations_monitors(const struct target *target, struct tree_shape *shape)
{
	struct reading r = { .target = target };

	if (find_fields(&r))
		return -ENOENT;
	*shape = (struct tree_shape){ .right = NODE_RIGHT, .left = NODE_LEFT, .value = (size_t)r.other };
	return 0;
}

int relations_read(const struct target *target, uint64_t process, struct relations *relations)
{
	struct reading r = { .target = target };
	uint64_t links = 0, monitors = 0, ring = 0;
	int err;

	*relations = (struct relations){};
	err = find_fields(&r);
	if (!err)
		err = read_root(&r, process, "process.links", &links);
	if (!err)
		err = read_root(&r, process, "process.monitors", &monitors);
	if (!err)
		err = read_root(&r, process, "process.lt_monitors", &ring);
	if (err)
		return err;
	read_tree(&r, links, &relations->links, NULL);
	read_tree(&r, monitors, &relations->monitors, &relations->asked);
	read_ring(&r, ring, &relations->monitored_by);
	return 0;
}
