"""What a pattern or a pid of the command line does not match is an error, with the reason and the nearest name."""
from lib import STOCK, Node, erlbpf, over

NO_PROBE = 3


def refused(*args, code=NO_PROBE):
    """What erlbpf says about a command line that matches nothing; it prints nothing else."""
    out, err = erlbpf(*args, code=code)
    assert not out and "Tracing" not in err, (args, out, err)
    return err


@over(["trace", "count"])
def test_a_glob_of_no_probe_is_refused_with_the_nearest(tool):
    with Node(STOCK) as node:
        for glob, meant in (("gc", "gc*"), ("process-spwan", "process-spawn")):
            said = refused(tool, glob, "-p", node.pid)
            assert 'no probe matches "%s"; did you mean "%s"? `erlbpf list`' % (glob, meant) in said, said
            assert len(said.splitlines()) == 1, said
        said = refused(tool, "probes", "-p", node.pid)
        assert "did you mean" not in said and "erlbpf list" in said, said


def test_a_glob_of_no_probe_is_refused_before_there_is_a_node_too():
    assert "did you mean" in refused("list", "gc")
    assert "did you mean" in refused("count", "gc", "-c", "sleep 60")


def test_a_tool_with_few_probes_names_one_of_its_own():
    with Node(STOCK) as node:
        assert 'no probe of messages matches "gc"; `erlbpf help' in refused("messages", "gc", "-p", node.pid)
        assert 'did you mean "message-send"?' in refused("messages", "mesage-send", "-p", node.pid)
