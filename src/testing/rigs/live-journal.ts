/** Lives a world from its seed and journal in a process of its own; prints its hash. */
import { makeKernel, makeWorld } from './kernel.ts';
import { liveFromJournal } from './manual-shard.ts';

const { seed, tick, changes } = JSON.parse(process.argv[2] ?? '');
const kernel = makeKernel(1);
const slab = makeWorld(kernel, seed);
liveFromJournal(kernel, slab, changes, tick);
process.stdout.write(kernel.hash(slab).toString(16));
