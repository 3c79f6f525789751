"""The command line of those who make random programs: `NAME.py [--build DIR] [--count N] [--seed N] [--keep]`."""
import argparse
import os


def main(about, what, count, run, keeps=True):
    """`run(erlbpf, count, seed)` gives a text for each difference; with `keep=True`, if it has that, it leaves the programs."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--count", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    if keeps:
        parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    more = {"keep": args.keep} if keeps else {}
    bad = run(os.path.join(args.build, "erlbpf"), args.count, args.seed, **more)
    print("".join("%s\n" % each for each in bad[:40]) + "%d of %d %s differ (seed %d)" % (len(bad), args.count, what, args.seed))
    return 1 if bad else 0
