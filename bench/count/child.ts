/**
 * Puts images into as many slabs as a shard has and visits each of them: the program that cachegrind
 * counts. `node child.ts <kernel> <images> <worlds> <rounds>`
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { FRAME_TICKS } from '../../assembly/layout.ts';
import { createWorlds, loadKernel, stepBy } from '../aged-worlds.ts';
import { restoreAll } from '../car-ticks.ts';

const [wasm = '', imagesFile = '', worlds = '', rounds = ''] = process.argv.slice(2);
const { kernel, cities } = loadKernel(Number(worlds), pathToFileURL(wasm));
const slabs = createWorlds(kernel, Number(worlds), cities.tables.length);
const all = readFileSync(imagesFile);
const bytes = slabs[0] === undefined ? 0 : kernel.image(slabs[0]).length;
const images = Array.from({ length: all.length / bytes }, (_, i) =>
  all.subarray(i * bytes, (i + 1) * bytes),
);
restoreAll(kernel, slabs, images, 0);
for (let round = 0; round < Number(rounds); round += 1) {
  for (const slab of slabs) stepBy(kernel, slab, FRAME_TICKS);
}
