import { CHAIN_TICKS, FRAME_TICKS } from '../../../assembly/layout.ts';
import { IMAGE_TICKS } from '../../limits.ts';
import { settled } from '../../twin/contact-records.ts';
import type { ReplayFrames, ReplayTask } from '../protocol.ts';
import type { WorldEncoder } from '../world-encoder.ts';
import { contactsBetween } from './counterfactual-search.ts';
import type { Rewind, RewindStart, Slices } from './rewind.ts';

/** A replay begins and ends this long before and after the first contact, ticks. */
const REPLAY_LEAD_TICKS = IMAGE_TICKS;
const REPLAY_AFTER_TICKS = CHAIN_TICKS;
const COMMA = 0x2c;

/** Re-runs and encodes the seconds around an incident, with features on from `switchTick`. */
export function* playFrames(
  rewind: Rewind,
  start: RewindStart,
  { chain, encoding, untilTick }: ReplayTask,
  { on, switchTick }: { on: ReadonlyMap<number, number>; switchTick: number },
  encoder: Pick<WorldEncoder, 'encode'>,
): Slices<ReplayFrames> {
  const [{ tick }] = chain;
  const frames: Uint8Array[] = [];
  const capture = () => {
    if (rewind.tick < tick - REPLAY_LEAD_TICKS || rewind.tick % FRAME_TICKS !== 0) return;
    frames.push(encoder.encode(encoding, rewind.kernel.pack(rewind.slab)));
  };
  rewind.restore(start);
  capture();
  yield* rewind.stepTo(switchTick, FRAME_TICKS, capture);
  const recordsBefore = rewind.records.length;
  rewind.switchOn(on);
  yield* rewind.stepTo(Math.min(untilTick, tick + REPLAY_AFTER_TICKS), FRAME_TICKS, capture);
  const after = on.size === 0 ? chain : settled(rewind.records.slice(recordsBefore));
  const [contact] = contactsBetween(chain, after);
  return {
    outcome: 'played',
    frames: joinFrames(frames, encoding === 'json'),
    count: frames.length,
    contactTick: contact?.tick ?? null,
  };
}

function joinFrames(frames: readonly Uint8Array[], withCommas: boolean): Uint8Array {
  const gap = withCommas ? 1 : 0;
  const bytes = frames.reduce((sum, frame) => sum + frame.length + gap, 0);
  const joined = new Uint8Array(Math.max(0, bytes - gap)).fill(COMMA);
  let offset = 0;
  for (const frame of frames) {
    joined.set(frame, offset);
    offset += frame.length + gap;
  }
  return joined;
}
