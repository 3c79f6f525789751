/* What is asked of which disk, and how long it takes. */
/* @options: -q -c "dd if=/dev/zero of=$FILE bs=64k count=16 oflag=direct status=none" */

io:::start
{
	began[args[0]->b_edev, args[0]->b_blkno] = timestamp;
}

io:::done
/began[args[0]->b_edev, args[0]->b_blkno]/
{
	@[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W"] = quantize(timestamp - began[args[0]->b_edev, args[0]->b_blkno]);
	began[args[0]->b_edev, args[0]->b_blkno] = 0;
}
