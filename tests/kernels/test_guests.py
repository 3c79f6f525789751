"""Of the kernels and lanes of `make test-kernels`, some: the oldest kernel that erlbpf supports and Debian has, where each
site is a perf event, and the newest."""
import matrix

LANES = {"6.1": ["fake", "kill"], matrix.NEWEST: ["fake"]}


def test_erlbpf_works_on_the_oldest_and_the_newest_kernel(series):
    row = matrix.named("amd64", series)
    guests = matrix.Matrix([row], LANES[series])
    try:
        version, said, lanes = guests.run(*row)
    finally:
        guests.close()
    print("        Linux %s:%s" % (version, "".join(" %s %.1f s" % (lane.name, lane.seconds) for lane in said.lanes)))
    print("".join("        %s\n" % note for note in matrix.notes_of(said)), end="")
    wrong = matrix.wrong_with(said, lanes)
    assert not wrong, wrong


test_erlbpf_works_on_the_oldest_and_the_newest_kernel.cases = list(LANES)
