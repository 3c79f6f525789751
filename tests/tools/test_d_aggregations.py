"""Aggregations that threads on all CPUs count in at once: each hit is there, whatever number of CPUs shares a value."""
import json
import os

from lib import Fake, Trace, over

THREADS, HITS = 8, 20000
TOTAL = THREADS * HITS
CLAUSE = """BEGIN { printf("begun\\n"); }
erlang$target:::process-spawn
{
    this->r = rand() & 1023;
    @["count"] = count();
    @sum[0] = sum(3);
    @min[0] = min((int64_t)this->r - 500);
    @max[0] = max(this->r);
    @avg[0] = avg(this->r * 0 + 7);
    @dev[0] = stddev(-5);
    @two[0] = quantize(this->r);
    @steps[0] = lquantize(this->r, 0, 1000, 100);
    @log[0] = llquantize(this->r + 1, 10, 0, 3, 10);
    @keys[this->r] = count();
}"""


def counted(cpus):
    with Fake() as fake:
        trace = Trace("-q", "-j", "-n", CLAUSE, "-p", fake.pid, wait=False, env=dict(os.environ, ERLBPF_CPUS=str(cpus)))
        assert "begun" in trace.line()
        assert fake.do("threads %d process-spawn %d" % (THREADS, HITS)) == "ok"
        lines = [json.loads(line) for line in trace.stop().splitlines()]
    assert not any(lines[-1]["drops"].values()), lines[-1]
    return {line["name"]: line["entries"] for line in lines if line["type"] == "aggregation"}


def in_buckets(entry):
    return sum(bucket["count"] for bucket in entry["buckets"])


@over([1, 8, 64])
def test_each_hit_is_counted_where_so_many_cpus_would_share_a_value(cpus):
    found = counted(cpus)
    value = {name: entries[0].get("value") for name, entries in found.items()}
    assert value["@_"] == TOTAL and value["@sum"] == 3 * TOTAL, value
    assert (value["@min"], value["@max"]) == (-500, 1023), value
    assert value["@avg"] == 7 and value["@dev"] == 0, value
    for name in "@two", "@steps", "@log":
        assert in_buckets(found[name][0]) == TOTAL, found[name]
    assert len(found["@keys"]) == 1024 and sum(entry["value"] for entry in found["@keys"]) == TOTAL
