import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { systemTime } from '../../src/time.ts';
import { CACHE } from './places.ts';

/** The commit and its car-tick on the machine that the targets were set on. */
export const FACTOR_COMMIT = '3d2cb8f';
const REFERENCE_NS = 170;
const FACTOR_MAX = 3;
const FILE = join(CACHE, 'factor.json');

/** At most 3: with more, the targets would mean nothing. */
export function factorOf(carTickNs: number): number {
  return Math.min(FACTOR_MAX, carTickNs / REFERENCE_NS);
}

/** The factor as it was last measured on this machine. */
export function measuredFactor(file = FILE): MachineFactor | undefined {
  try {
    const kept = JSON.parse(readFileSync(file, 'utf8')) as MachineFactor;
    return kept.cpu === cpuModel() ? kept : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the factor for the reports of later runs.
 * @param carTickNs processor time of a car and tick at `FACTOR_COMMIT` in 5,000 worlds
 */
export function keepFactor(carTickNs: number, file = FILE) {
  const at = new Date(systemTime.wallMs()).toISOString();
  const factor = { factor: factorOf(carTickNs), carTickNs, cpu: cpuModel(), at };
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `${JSON.stringify(factor, null, 2)}\n`);
  return factor;
}

/** How much slower this machine is than the one that the targets were set on. */
type MachineFactor = ReturnType<typeof keepFactor>;

/** One line for the head of a report. */
export function formatFactor(factor = measuredFactor()): string {
  if (!factor) return 'machine factor unknown: npm run bench -- factor';
  return `machine factor ${factor.factor.toFixed(2)}, measured ${factor.at} on ${factor.cpu}`;
}

function cpuModel(): string {
  return cpus()[0]?.model.trim() ?? 'unknown';
}
