/** The world as it lives in this browser: what the page asks of it, and what it tells the page. */
import type { ReadonlySignal } from '@preact/signals';
import type { Incident, Snapshot, WorldEvent } from '../api/types.ts';

/** A part of a life: its first and its last tick. */
export type Extent = readonly [first: number, last: number];

/** A mark on the time line. */
export interface Mark {
  tick: number;
  /** `earlier`: an incident that cannot be shown again. */
  kind: 'incident' | 'earlier' | 'hazard' | 'configuration' | 'event';
  message: string;
  /** Id of the incident that begins there; null for others. */
  incident: string | null;
}

/** Features of a car that are switched at a tick. */
export interface Switching {
  tick: number;
  vin: string;
  features: Readonly<Record<string, boolean>>;
}

/** A feature of a car that is switched off at a tick, lived up to another. */
export interface Trial {
  vin: string;
  feature: string;
  offTick: number;
  untilTick: number;
}

/** A private copy of the world from one of its moments on. */
export interface Branch {
  /** The last tick that it shares with the world. */
  readonly fromTick: number;
  /** How far it has been lived. */
  readonly tick: number;
  /** In order of their ticks. */
  readonly switchings: readonly Switching[];
  /** States of every `everyTicks`th tick of a part of its life; it is lived as far as needed. */
  frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]>;
  /** Reports of the collisions since `fromTick`. */
  incidents(): Promise<readonly Incident[]>;
  close(): void;
}

/** The whole life of the watched world, as far as it is known here. */
export interface Life {
  /** Undefined while nothing of it is known here: the world is shown as the node sends it. */
  readonly extent: ReadonlySignal<Extent | undefined>;
  /** The last ones, oldest first. */
  readonly marks: ReadonlySignal<readonly Mark[]>;
  /** Goes up when what was known may have turned out otherwise. */
  readonly edition: ReadonlySignal<number>;
  /** States of every `everyTicks`th tick of a part of its life. Rejects for ticks that are not known. */
  frames(extent: Extent, everyTicks: number): Promise<readonly Snapshot[]>;
  /** The last events up to a tick, newest first. */
  events(tick: number): Promise<readonly WorldEvent[]>;
  /** Collisions that began in a part of its life, its first tick excepted. */
  incidentCount(extent: Extent): Promise<number>;
  /** `switchings`: after `tick`, in order of their ticks. */
  branch(tick: number, switchings: readonly Switching[]): Promise<Branch>;
}
