#!/usr/bin/env python3
"""Where a VM's structures have their members, from the debug information of builds of it.

    layouts.py RELEASE BEAM BEAM_WITH_NOTES           rows for probes/fields.def
    layouts.py --check RELEASE BEAM BEAM_WITH_NOTES   compare them with the rows that are there; "-" for a build that is
                                                      not there, or has no debug information. Builds without frame
                                                      pointers, and with larger mutexes (aarch64), are known by these

Needs pahole (Debian: dwarves). What is no member of a structure (parts of terms, distances) is written by hand."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Our name: a type, and the member in it; of several (a|b) the first that is there. No member: the size of the type. What
# follows is within that: another type, and its member.
PROCESS, SCHEDULER, PORT, DIST = "process", "ErtsSchedulerData_", "_erl_drv_port", "dist_entry_"
INET = "inet_descriptor"
MEMBERS = {
    "process.id": (PROCESS, "common.id"),
    "process.reg": (PROCESS, "common.u.alive.reg"),
    "process.links": (PROCESS, "common.u.alive.links"),
    "process.lt_monitors": (PROCESS, "common.u.alive.lt_monitors"),
    "process.monitors": (PROCESS, "common.u.alive.monitors"),
    "process.timers": (PROCESS, "bif_timers"),
    "timer.right": ("ErtsBifTimer_", "btm.proc_tree.right"),
    "timer.left": ("ErtsBifTimer_", "btm.proc_tree.left"),
    "process.freason": (PROCESS, "freason"),
    "process.fvalue": (PROCESS, "fvalue"),
    "process.initial": (PROCESS, "u.initial"),
    "process.current": (PROCESS, "current"),
    "process.i": (PROCESS, "i"),
    "process.scheduler": (PROCESS, "scheduler_data"),
    "process.parent": (PROCESS, "parent"),
    "process.dictionary": (PROCESS, "dictionary"),
    "process.flags": (PROCESS, "flags"),
    "process.state": (PROCESS, "state"),
    "process.lock": (PROCESS, "lock.flags"),
    "process.gen_gcs": (PROCESS, "gen_gcs"),
    "process.max_gen_gcs": (PROCESS, "max_gen_gcs"),
    "process.size": (PROCESS, ""),
    "process.heap": (PROCESS, "heap"),
    "process.heap_sz": (PROCESS, "heap_sz"),
    "process.timer": (PROCESS, "common.timer"),
    "process.htop": (PROCESS, "htop"),
    "process.stop": (PROCESS, "stop"),
    "process.abandoned_heap": (PROCESS, "abandoned_heap"),
    "process.reds": (PROCESS, "reds"),
    "process.high_water": (PROCESS, "high_water"),
    "process.old_hend": (PROCESS, "old_hend"),
    "process.old_heap": (PROCESS, "old_heap"),
    "process.old_htop": (PROCESS, "old_htop"),
    "process.mbuf_sz": (PROCESS, "mbuf_sz"),
    "process.off_heap": (PROCESS, "off_heap.overhead"),
    "process.old_off_heap": (PROCESS, "bin_old_vheap"),
    "process.queue_len": (PROCESS, "sig_qs.mq_len|sig_qs.len"),
    "process.queue_rest": (PROCESS, "sig_qs.mlenoffs"),
    "process.in_queue_len": (PROCESS, "sig_inq.mlenoffs|sig_inq.len"),
    "process.save": (PROCESS, "sig_qs.save"),
    "process.queue_first": (PROCESS, "sig_qs.first"),
    "process.queue_last": (PROCESS, "sig_qs.last"),
    "process.queue_cont": (PROCESS, "sig_qs.cont"),
    "process.queue_cont_last": (PROCESS, "sig_qs.cont_last"),
    "process.in_queue_first": (PROCESS, "sig_inq.first"),
    "process.in_queue_last": (PROCESS, "sig_inq.last"),
    "process.seq_trace": (PROCESS, "seq_trace_clock"),
    "scheduler.current_process": (SCHEDULER, "current_process"),
    "scheduler.current_port": (SCHEDULER, "current_port"),
    "scheduler.no": (SCHEDULER, "no"),
    "scheduler.run_queue": (SCHEDULER, "run_queue"),
    "scheduler.registers": (SCHEDULER, "registers"),
    "scheduler.timer_wheel": (SCHEDULER, "timer_wheel"),
    "timer_wheel.pos": ("ErtsTimerWheel_", "pos"),
    "timer_wheel.count": ("ErtsTimerWheel_", "nto"),
    "scheduler.tables": (SCHEDULER, "ets_tables|u.ets_tables"),
    "scheduler.reclaimed": (SCHEDULER, "gc_info.reclaimed"),
    "port.id": (PORT, "common.id"),
    "port.name": (PORT, "name"),
    "port.owner": (PORT, "connected"),
    "port.driver": (PORT, "drv_ptr"),
    "port.flags": (PORT, "sched.flags"),
    "port.psd": (PORT, "psd"),
    "port.suspended": (PORT, "suspended"),
    "driver.control": ("erts_driver_t_", "control"),
    "dist_entry.sysname": (DIST, "sysname"),
    "dist_entry.cid": (DIST, "cid"),
    "dist_entry.connection_id": (DIST, "connection_id"),
    "dist_entry.state": (DIST, "state"),
    "dist_entry.dflags": (DIST, "dflags"),
    "dist_entry.next": (DIST, "next"),
    "dist_entry.queued": (DIST, "qsize"),
    "dist_entry.suspended": (DIST, "suspended"),
    "proc_list.next": ("ErtsProcList_", "next"),
    "index.limit": ("index_table", "limit"),
    "index.entries": ("index_table", "entries"),
    "ptab.count": ("ErtsPTab", "vola.tile.count"),
    "ptab.allotted": ("ErtsPTab", "vola.tile.aid_ix"),
    "ptab.max": ("ErtsPTab", "r.o.max"),
    "message.m": ("erl_mesg", "m"),
    "nif_env.proc": ("enif_environment_t", "proc"),
    "run_queue.len": ("ErtsRunQueue_", "len"),
    "run_queue.reductions": ("ErtsRunQueue_", "procs.reductions"),
    "runq.first_port": ("ErtsRunQueue_", "ports.start"),
    "dist_obuf.eiov": ("ErtsDistOutputBuf_", "eiov"),
    "dsig_send.dep": ("ErtsDSigSendContext", "dep"),
    "dsig_send.c_p": ("ErtsDSigSendContext", "c_p"),
    "eio_vec.size": ("erl_io_vec", "size"),
    "inet.port": (INET, "port"),
    "inet.type": (INET, "stype"),
    "inet.protocol": (INET, "sprotocol"),
    "inet.family": (INET, "sfamily"),
    "inet.received": (INET, "recv_oct"),
    "inet.sent": (INET, "send_oct"),
    "file.fd": ("efile_unix_t", "fd"),
    "link.other": ("ErtsLinkData", "other.item"),
    "link.type": ("ErtsMonLnkNode__", "type|flags"),
    "magic.refn": ("magic_binary", "refn"),
    "magic.data": ("magic_binary", "u"),
    "allctr.name": ("Allctr_t_", "name_prefix"),
    "allctr.pool_blocks": ("Allctr_t_", "cpool.stat.blocks_size"),
    "allctr.pool_carriers": ("Allctr_t_", "cpool.stat.carriers_size"),
    "allctr.sbcs": ("Allctr_t_", "sbcs"),
    "allctr.mbcs": ("Allctr_t_", "mbcs"),
    "table.previous": ("db_table_common", "all.prev"),
    "table.type": ("db_table_common", "type"),
    "table.owner": ("db_table_common", "owner"),
    "table.is_spread": ("db_table_common", "counters.is_decentralized"),
    "table.counters": ("db_table_common", "counters.u"),
    "table.name": ("db_table_common", "the_name"),
    "socket.family": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "domain"),
    "socket.type": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "type"),
    "socket.protocol": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "protocol"),
    "socket.sent": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "writeByteCnt"),
    "socket.received": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "readByteCnt"),
    "code_header.line_table": ("beam_code_header", "line_table"),
    "code_header.functions": ("beam_code_header", "functions"),
    "line_table.files": ("BeamCodeLineTab_", "fname_ptr"),
    "line_table.location_size": ("BeamCodeLineTab_", "loc_size"),
    "line_table.locations": ("BeamCodeLineTab_", "loc_tab.p2"),
    "line_table.functions": ("BeamCodeLineTab_", "func_tab"),
    "socket.fd": ("magic_binary", "u.unaligned.data", "ErtsResource_", "data", "ESockDescriptor", "sock"),
}


def members_of(beam, type_name):
    """{member: offset} of a type with all that is in it, and its size as "". Empty: there is no such type."""
    out = subprocess.run(["pahole", "--expand_types", "-C", type_name, beam], stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.DEVNULL).stdout
    found, open_ones = {}, []
    for line in out.splitlines():
        text = re.sub(r"__attribute__\(\(__aligned__\(\d+\)\)\)", "", line.strip())
        if text.endswith("{"):
            open_ones.append({})
            continue
        size = re.match(r"/\* size: (\d+)", text)
        if size and open_ones and "" not in found:
            found[""] = int(size[1])
        member = re.match(r"(.*?)([\w*().\[\] ,]*?)\s*;\s*/\*\s*(\d+)(?::\s*\d+)?\s+\d+\s*\*/", text)
        if text.startswith("}") and open_ones:
            inner = open_ones.pop()
            name = re.match(r"}\s*(\w*)(?:\[\d+\])*\s*;\s*/\*\s*(\d+)", text)
            if not open_ones:
                found.update(inner)
                break
            prefix = name[1] + "." if name and name[1] else ""
            open_ones[-1].update({prefix + key: offset for key, offset in inner.items()})
            if name and name[1]:
                open_ones[-1][name[1]] = int(name[2])
        elif member and open_ones:
            function = re.search(r"\(\*\s*(\w+)\)", text)
            words = re.findall(r"\w+", re.sub(r"\[\d+\]", "", text.split(";")[0]))
            name = function[1] if function else words[-1] if words else ""
            open_ones[-1].setdefault(name, int(member[3]))
    return found


class Build:
    def __init__(self, beam):
        self.beam, self.types = beam, {}

    def offset(self, name):
        """Bytes, None: it is not there."""
        path = MEMBERS[name]
        parts = [self.part(path[i], path[i + 1]) for i in range(0, len(path), 2)]
        return None if None in parts else sum(parts)

    def part(self, type_name, members):
        if type_name not in self.types:
            self.types[type_name] = members_of(self.beam, type_name)
        found = self.types[type_name]
        return next((found[member] for member in members.split("|") if member in found), None)


def rows_there(release):
    """{name: (offset, offset with notes)} of probes/fields.def for the release, and {name: mutexes in front of it}."""
    with open(os.path.join(HERE, "fields.def")) as file:
        text = file.read()
    rows = {name: (int(plain), int(notes))
            for its, name, plain, notes in re.findall(r'^FIELD\((\d+), "([\w.]+)", (-?\d+), (-?\d+)\)', text, re.M)
            if int(its) in (0, release)}
    mutexes = {name: int(count)
               for its, name, count in re.findall(r'^BEHIND_MUTEXES\((\d+), "([\w.]+)", (\d+)\)', text, re.M)
               if int(its) in (0, release)}
    return rows, mutexes


def moved(build, name, offset, mutexes):
    """Where user/node/memory/fields.c looks for it in this build."""
    if name.startswith("process.") and offset > 96 and build.part(PROCESS, "frame_pointer") is None:
        offset -= 8
    return offset + mutexes.get(name, 0) * (build.part("ethr_mutex_", "") - 40)


def check(release, builds):
    (there, mutexes), wrong, compared = rows_there(release), [], 0
    for name in sorted(MEMBERS):
        for i, build in enumerate(builds):
            offset = build.offset(name) if build else None
            if name not in there or offset is None:
                continue
            compared += 1
            expected = moved(build, name, there[name][i], mutexes)
            if offset != expected:
                wrong.append("%s is at %d in %s, and at %d in fields.def" % (name, offset, build.beam, expected))
    print("\n".join(wrong + ["%d offsets of OTP %d compared, %d wrong" % (compared, release, len(wrong))]))
    return 1 if wrong or not compared else 0


def main():
    words = [word for word in sys.argv[1:] if word != "--check"]
    if len(words) != 3:
        sys.exit(__doc__)
    release, builds = int(words[0]), [None if path == "-" else Build(path) for path in words[1:]]
    if "--check" in sys.argv:
        return check(release, builds)
    for name in MEMBERS:
        offsets = [build.offset(name) for build in builds]
        if None not in offsets:
            print('FIELD(%d, "%s", %d, %d)' % (release, name, offsets[0], offsets[-1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
