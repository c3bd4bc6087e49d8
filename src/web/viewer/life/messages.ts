/** What the page and the worker in which its world lives say to each other. */
import type {
  FeatureState,
  FleetEntry,
  Incident,
  Perception,
  Replay,
  Snapshot,
  VehicleOutlook,
  WorldEvent,
  WorldOutlook,
} from '../api/types.ts';
import type { Extent, Mark, Switching, Trial } from './life.ts';

/** What the page may ask: names, arguments and answers. */
export interface Questions {
  /** States of every `everyTicks`th tick of a part of the life. */
  frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]>;
  /** The last events up to a tick, newest first. */
  events(tick: number): Promise<readonly WorldEvent[]>;
  /** Collisions that began in a part of the life, its first tick excepted. */
  incidentCount(extent: Extent): Promise<number>;
  /** The number of a new branch. */
  openBranch(tick: number, switchings: readonly Switching[]): Promise<number>;
  /** As `frames`, and how far the branch has been lived then. */
  branchFrames(
    branch: number,
    extent: Extent,
    everyTicks: number,
  ): Promise<{ frames: readonly Snapshot[]; tick: number }>;
  branchIncidents(branch: number): Promise<readonly Incident[]>;
  closeBranch(branch: number): Promise<void>;
  /** Whether something would come of it. */
  comesTrue(trial: Trial): Promise<boolean>;
  /** What follows is as the service answers. */
  features(vin: string): Promise<FeatureState>;
  perception(vin: string): Promise<Perception>;
  outlook(): Promise<WorldOutlook>;
  carOutlook(vin: string): Promise<Pick<VehicleOutlook, 'tick' | 'outlook'>>;
  /** Null: there is none of this id in the whole life. */
  incident(id: string): Promise<Incident | null>;
  replay(id: string, features: readonly string[]): Promise<Replay>;
}

export type Question = keyof Questions;
export type Given<Name extends Question> = Parameters<Questions[Name]>;
export type Answer<Name extends Question> = Awaited<ReturnType<Questions[Name]>>;

/** From the page. */
export type Request =
  | { type: 'open'; world: string; streamUrl: string }
  /** What the world is lived with may be loaded. */
  | { type: 'load' }
  /** The computer has slept, or the network is back. */
  | { type: 'reconnect' }
  | { type: 'ask'; number: number; question: Question; given: readonly unknown[] };

/**
 * connecting: nothing is known yet. living: the world lives in the worker, and what the node says agrees as far
 * as it is known. unverified: it lives there, but what the node says differed again and again, and the node sends
 * nothing instead. alone: it goes on without the node for a while. shown: the worker shows what the node sends.
 * gone: the world does not exist any more.
 */
export type LifeState = 'connecting' | 'living' | 'unverified' | 'alone' | 'shown' | 'gone';

/** From the worker. */
export type Report =
  /** The node has told of the world, and the worker waits for `load`. `isNew`: it was made a moment ago. */
  | { type: 'met'; isNew: boolean }
  | { type: 'state'; state: LifeState }
  | { type: 'fleet'; fleet: readonly FleetEntry[] }
  | {
      type: 'frame';
      frame: Snapshot;
      /** When its tick was due, ms since 1970 by the clock of the computer; NaN if that is not known. */
      dueMs: number;
    }
  /** A change came late: these states take the place of those of their ticks. */
  | { type: 'corrected'; frames: readonly Snapshot[]; lateTicks: number }
  | { type: 'watchers'; watchers: number }
  /** What is known of the life from its beginning on; it takes the place of what was known. */
  | {
      type: 'past';
      extent: Extent;
      /** It begins where the world began under its kernel. */
      isWhole: boolean;
      marks: readonly Mark[];
      /** The last ones, oldest first, as the service lists them. */
      events: readonly WorldEvent[];
      incidents: readonly Incident[];
    }
  /** What has happened since, oldest first; an incident that is known already has another report now. */
  | { type: 'news'; events: readonly WorldEvent[]; incidents: readonly Incident[] }
  | { type: 'answer'; number: number; answer: unknown }
  | { type: 'refusal'; number: number; why: string };
