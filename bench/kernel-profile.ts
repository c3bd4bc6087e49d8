/** Where the kernel spends its time: by phase of a tick, and by function. */
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { FRAME_TICKS } from '../assembly/layout.ts';
import { age, agedWorlds, CAR_TICKS_PER_VISIT, loadKernel, movingShare } from './aged-worlds.ts';
import { AGE_TICKS } from './car-ticks.ts';
import { type Figure, figure, formatNumber } from './common/figures.ts';
import { namedKernel, TICK } from './named-kernel.ts';
import { processorMs } from './processor.ts';

const WORLDS = 500;
const VISITS = 100;
const SAMPLE_US = 100;
/** Functions with less are not shown. */
const SHARE_MIN = 0.005;

export async function run(): Promise<Figure[]> {
  const { kernel, cities } = loadKernel(WORLDS);
  const slabs = agedWorlds(kernel, WORLDS, AGE_TICKS, cities.tables.length);
  const moving = movingShare(kernel, slabs);
  const shipped = perCarTick(() => age(kernel, slabs, FRAME_TICKS * VISITS));
  const phases = await profileOf('phases');
  const functions = await profileOf('functions');
  return [
    figure('cars that move at 20 s', moving * 100, '%'),
    figure('a car-tick as shipped', shipped, 'ns'),
    figure('phases kept apart', phases.ns, 'ns'),
    ...figuresOf(phaseHits(phases), phases),
    figure('functions kept apart', functions.ns, 'ns'),
    ...figuresOf(selfHits(functions), functions),
  ];
}

/** Phases of hazards, sensing and functions. */
const BESIDE_DRIVING = [/\/hazards\//, /\/step\/perceive$/, /\/step\/assist$/];

/**
 * The share of a car-tick that is driving alone: without sensing, functions and hazards. Throws where
 * the kernel has no such phase: it was renamed.
 */
export async function drivingShare(): Promise<number> {
  const profile = await profileOf('phases');
  const hits = [...phaseHits(profile)];
  const beside = BESIDE_DRIVING.flatMap((pattern) => {
    const matching = hits.filter(([name]) => pattern.test(name));
    if (matching.length === 0) throw new Error(`no phase of a tick matches ${pattern}`);
    return matching;
  });
  return 1 - beside.reduce((sum, [, count]) => sum + count, 0) / samplesOf(profile);
}

interface Profile {
  nodes: readonly Profiler.ProfileNode[];
  phases: readonly string[];
  /** Of a car and tick, while the profile was taken. */
  ns: number;
}

/** Profiles a kernel on worlds that it aged before, so that its code is warm. */
async function profileOf(keep: 'phases' | 'functions'): Promise<Profile> {
  const { wasm, phases } = namedKernel(keep);
  const { kernel, cities } = loadKernel(WORLDS, wasm);
  const slabs = agedWorlds(kernel, WORLDS, AGE_TICKS, cities.tables.length);
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  const ns = perCarTick(() => age(kernel, slabs, FRAME_TICKS * VISITS));
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { nodes: profile.nodes, phases, ns };
}

/** Processor nanoseconds of a car and tick in `VISITS` visits of `WORLDS`. */
function perCarTick(work: () => void): number {
  return (processorMs(work) * 1e6) / (VISITS * WORLDS * CAR_TICKS_PER_VISIT);
}

/** Samples in each phase with its callees, and in the tick itself. */
function phaseHits({ nodes, phases }: Profile): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const hits = new Map<string, number>();
  const add = (name: string, node: Profiler.ProfileNode) => {
    hits.set(name, (hits.get(name) ?? 0) + (node.hitCount ?? 0));
    for (const child of node.children ?? []) {
      const called = byId.get(child);
      if (called) add(name, called);
    }
  };
  for (const node of nodes) {
    if (phases.includes(nameOf(node))) add(nameOf(node), node);
    else if (nameOf(node) === TICK) hits.set(TICK, node.hitCount ?? 0);
  }
  return hits;
}

/** Samples in each function of the kernel, without its callees. */
function selfHits({ nodes }: Profile): Map<string, number> {
  const hits = new Map<string, number>();
  for (const node of nodes) {
    if (!node.callFrame.url.startsWith('wasm:')) continue;
    hits.set(nameOf(node), (hits.get(nameOf(node)) ?? 0) + (node.hitCount ?? 0));
  }
  return hits;
}

const nameOf = ({ callFrame }: Profiler.ProfileNode): string => callFrame.functionName;

function samplesOf({ nodes }: Profile): number {
  return nodes.reduce((sum, node) => sum + (node.hitCount ?? 0), 0);
}

function figuresOf(hits: ReadonlyMap<string, number>, profile: Profile): Figure[] {
  const { ns } = profile;
  const total = samplesOf(profile);
  return [...hits]
    .map(([name, count]) => ({ name, share: count / total }))
    .filter(({ share }) => share >= SHARE_MIN)
    .sort((a, b) => b.share - a.share)
    .map(({ name, share }) =>
      figure(
        `  ${name.replace('assembly/', '')}`,
        share * ns,
        `ns (${formatNumber(share * 100)} %)`,
      ),
    );
}
