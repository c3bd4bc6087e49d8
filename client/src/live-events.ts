import type { EventRecord, Incident } from './types.ts';

/**
 * connecting: nothing is known yet. live: the world lives here, nothing was compared yet. verified: it lives
 * here, and the last comparison with the node agreed. reconnecting: it goes on without the node, for at most
 * 40 s. fallback: the node's snapshots are shown. unverified: it lives here although it differs from what the
 * node says. ended: the world does not exist any more, or `close` was called.
 */
export type LiveState =
  | 'connecting'
  | 'live'
  | 'verified'
  | 'reconnecting'
  | 'fallback'
  | 'unverified'
  | 'ended';

/** What a live world tells. */
export type LiveEvent =
  | { type: 'state'; state: LiveState }
  /** It happened half a second ago, or while the world was behind: a change that is later may still undo it. */
  | { type: 'event'; event: EventRecord }
  | { type: 'incident'; incident: Incident }
  /** The node has stored a report, or what explains it. */
  | { type: 'stored'; incident: string; isExplained: boolean }
  /**
   * A change came late: the ticks after `tick`, `ticks` of them, were lived again and may have turned out
   * otherwise. If `tick` is before `toldTick`, so may events and incidents that were told; what has happened
   * instead is told by `world.happened(tick, live.toldTick)`, and by nothing else.
   */
  | { type: 'rollback'; tick: number; ticks: number }
  /** The world was read anew: its past may be another one. */
  | { type: 'restart' }
  /** What is lived here differs from what the node says, or from itself; `tick`: where that was noticed. */
  | { type: 'difference'; tick: number; reason: string }
  | { type: 'watchers'; watchers: number };
