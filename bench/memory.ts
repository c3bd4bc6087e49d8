import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SLAB_BYTES } from '../assembly/layout.ts';
import { type Figure, figure } from './common/figures.ts';
import type { MemoryBytes } from './memory-probe.ts';

const PROBE = fileURLToPath(new URL('./memory-probe.ts', import.meta.url));
const KIB = 1024;
const WARM_KIB_MAX = 16;
const HOT_KIB_MAX = 96;

/** Memory a world: of its slab, and by what the process has grown. */
export function memory(): Figure[] {
  const flags = ['--expose-gc', '--disable-warning=ExperimentalWarning'];
  const printed = execFileSync(process.execPath, [...flags, PROBE], { encoding: 'utf8' });
  const { warm, watched } = JSON.parse(printed) as MemoryBytes;
  return [
    figure('slab of a world', SLAB_BYTES / KIB, 'KiB'),
    figure('resident memory of a warm world', warm / KIB, 'KiB', { atMost: WARM_KIB_MAX }),
    figure('of a hot one with three images', (warm + watched) / KIB, 'KiB', {
      atMost: HOT_KIB_MAX,
    }),
  ];
}
