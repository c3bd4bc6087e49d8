/** Lives worlds beside a node, in a thread, and compares every frame that it sends of them. */
import { parentPort, workerData } from 'node:worker_threads';
import { unpack } from 'msgpackr';
import { tickOf } from '../../bench/common/frame-parser.ts';
import { UpgradeRefused, type WatchEvents, WatchSocket } from '../../bench/common/watch-socket.ts';
import type { AssetSource } from '../../client/src/city-assets.ts';
import { LocalWorld } from '../../client/src/local-world.ts';
import { builtAssets } from '../../client/testing/built-assets.ts';
import { ENCODINGS, type Encoding } from '../../src/codec/encoding.ts';
import { systemTime } from '../../src/time.ts';
import type { CarType } from '../../src/twin/fleet.ts';
import type { LockstepMessage } from '../../src/twin/lockstep.ts';
import { patientAnswer } from '../patient-answer.ts';
import type { Difference } from './difference.ts';
import { WorldCheck } from './world-check.ts';

export interface VerifiedWorld {
  id: string;
  seed: number;
  city: string;
}

/** What a thread is started with. */
export interface ThreadTask {
  url: string;
  worlds: readonly VerifiedWorld[];
  /** Of each world. They take JSON and MessagePack in turn. */
  watchers: number;
  carTypes: readonly CarType[];
}

export interface Counts {
  same: Record<Encoding, number>;
  /** Worlds of which a frame was compared. */
  worlds: number;
  /** Frames that differ as long as it is not known whether a change is missing here. */
  waiting: number;
  /** Streams that never opened, and streams that ended. */
  refused: number;
  ended: number;
}

export type FromThread =
  | { type: 'open' }
  | { type: 'counts'; counts: Counts }
  | { type: 'difference'; difference: Difference };

const OPENING_MAX = 20;
const RETRY_MS = 2000;
const ATTEMPTS = 15;
const COUNTS_MS = 500;

if (parentPort === null) throw new Error('this file is the code of a thread');
const port = parentPort;
const send = (message: FromThread) => port.postMessage(message);
const { url: address, worlds, watchers, carTypes }: ThreadTask = workerData;
const url = new URL(address);
const cities = new Map<string, ReturnType<AssetSource>>();
const checks: WorldCheck[] = [];
let [refused, ended] = [0, 0];

/** Those of the build, with the types of cars of the task. The same object each time: models are kept by it. */
function assets(city: string): ReturnType<AssetSource> {
  const known = cities.get(city) ?? builtAssets(city).then((built) => ({ ...built, carTypes }));
  cities.set(city, known);
  return known;
}

async function journalLength(world: string): Promise<number> {
  const path = `/api/v1/worlds/${world}/journal`;
  return (await patientAnswer<{ changes: unknown[] }>(url, path)).changes.length;
}

/** Retries where it is refused, as a node that is not sure yet what it can carry wants. */
async function open(path: string, message: WatchEvents['message']): Promise<void> {
  const events = { message, closed: () => void ended++ };
  for (let attempt = 1; ; attempt++) {
    try {
      await WatchSocket.open(url, path, events);
      return;
    } catch (error) {
      if (!(error instanceof UpgradeRefused)) throw error;
      if (attempt === ATTEMPTS) {
        refused++;
        return;
      }
    }
    await systemTime.sleep(RETRY_MS);
  }
}

async function verify(world: VerifiedWorld, index: number): Promise<void> {
  const { id } = world;
  const local = await LocalWorld.create({ ...world, assets, isFollower: true });
  const check = new WorldCheck({
    local,
    journalLength: () => journalLength(id),
    onDifference: (difference) => send({ type: 'difference', difference }),
  });
  checks.push(check);
  await open(`/ws/worlds/${id}?encoding=lockstep`, (_, payload) => {
    const message = unpack(payload) as LockstepMessage;
    if (message.type === 'change') check.change(message);
    if (message.type === 'hello') check.change(...message.changes);
  });
  for (let watcher = 0; watcher < watchers; watcher++) {
    const encoding = ENCODINGS[(index + watcher) % ENCODINGS.length] as Encoding;
    let isHello = true;
    await open(`/ws/worlds/${id}?encoding=${encoding}`, (opcode, payload) => {
      if (!isHello) check.frame(encoding, tickOf(opcode, payload), payload);
      isHello = false;
    });
  }
}

function counts(): Counts {
  const of = (encoding: Encoding) => checks.reduce((sum, { same }) => sum + same[encoding], 0);
  const seen = checks.filter(({ same }) => same.json + same.msgpack > 0);
  return {
    same: { json: of('json'), msgpack: of('msgpack') },
    worlds: seen.length,
    waiting: checks.reduce((sum, { waiting }) => sum + waiting, 0),
    refused,
    ended,
  };
}

systemTime.every(COUNTS_MS, () => send({ type: 'counts', counts: counts() }));
let next = 0;
async function openInTurn(): Promise<void> {
  for (let i = next++; i < worlds.length; i = next++) await verify(worlds[i] as VerifiedWorld, i);
}
await Promise.all(Array.from({ length: OPENING_MAX }, openInTurn));
send({ type: 'open' });
