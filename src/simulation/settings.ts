import { PARTITION_COUNT } from '../limits.ts';
import { Chance } from './chance.ts';

/** Until then faults happen; clients go on a little longer. */
export const FAULTS_MS = 60_000;
/** Of the runs. */
const LONG_SHARE = 0.02;
const PLANNED_SHARE = 0.15;
/** Of the runs with two builds: the newer one has another kernel. */
const KERNELS_SHARE = 0.5;
/** More worlds than clients make. */
const ROOMY = 8;

/** How a run is set up, drawn from its seed. */
export interface RunSettings {
  seed: number;
  nodeCount: number;
  partitionCount: number;
  leaseMs: number;
  idleMs: number;
  shardCount: number;
  /** Worlds in memory of one shard. */
  slabCount: number;
  worldCount: number;
  /** How long messages between nodes and their clients take, and between nodes and Redis. */
  delayMsMax: number;
  redisDelayMsMax: number;
  /** Timers fire late by up to this. */
  lateMsMax: number;
  driftPpmMax: number;
  /** The wall clocks of the nodes differ by up to this. */
  wallErrorMsMax: number;
  /** Shards store all their worlds about so often; undefined: as in a node. */
  imagesMs: number | undefined;
  /** About so often a node forgets a world, as where too many are at hand; undefined: never. */
  evictMs: number | undefined;
  /** It goes on until the partitions, as many as a node has, are spread evenly. */
  isLong: boolean;
  /** Nothing fails: nodes are only stopped, one after the other, and start anew. */
  isPlanned: boolean;
  /** Redis loses its last writes far more often, and nodes fail while it does. */
  isLossy: boolean;
  /** By node: what it says that it is. */
  builds: readonly number[];
  /** By node: version of its kernel. */
  kernels: readonly number[];
}

const SAME = [1, 1, 1, 1];
const MIXED = [1, 2, 1, 2];

export function settingsOf(seed: number, isLossy = false): RunSettings {
  const chance = new Chance(seed, 1);
  const isLong = chance.happens(LONG_SHARE);
  const isPlanned = chance.happens(PLANNED_SHARE);
  const builds = chance.pick([SAME, SAME, MIXED]);
  return {
    seed,
    nodeCount: chance.pick([2, 2, 2, 2, 3, 3, 3, 4]),
    partitionCount: isLong ? PARTITION_COUNT : chance.pick([1, 2, 4, 8]),
    leaseMs: chance.pick([1000, 2000, 6000, 6000]),
    idleMs: chance.pick([5000, 10_000, 20_000, 1_800_000]),
    shardCount: chance.pick([1, 1, 2]),
    // Where there is no room, requests are refused.
    slabCount: isPlanned ? ROOMY : chance.pick([2, 4, ROOMY]),
    worldCount: chance.pick([2, 4, 6]),
    delayMsMax: chance.pick([0.2, 1, 5]),
    // A world waits for its changes to be stored, and leaves frames out meanwhile.
    redisDelayMsMax: Math.min(chance.pick([0.2, 1, 5, 40]), isPlanned ? 5 : 40),
    lateMsMax: chance.pick([0.1, 1, 10]),
    driftPpmMax: chance.pick([0, 50, 200]),
    wallErrorMsMax: chance.pick([0, 100, 3_600_000]),
    imagesMs: chance.pick([undefined, undefined, 100, 1000]),
    evictMs: chance.pick([undefined, 20, 200, 2000]),
    isLong,
    isPlanned,
    isLossy,
    builds,
    kernels: chance.happens(KERNELS_SHARE) ? builds : SAME,
  };
}
