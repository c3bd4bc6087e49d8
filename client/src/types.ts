import type { TypeOf } from '../../src/schema.ts';
import type { FeatureName } from '../../src/twin/catalogue.ts';
import type { ContactFacts } from '../../src/twin/incidents.ts';
import type { EventRecord, Hello as HelloSchema, Incident, Snapshot } from '../../src/twin/wire.ts';

export type { FeatureName } from '../../src/twin/catalogue.ts';
export type { ContactFacts, PartyFacts } from '../../src/twin/incidents.ts';
export type {
  CityMap,
  EventRecord,
  Failure,
  FleetEntry,
  HazardSpot,
  Incident,
  JournalEntry,
  Perception,
  Snapshot,
  Telemetry,
  WorldOutlook,
} from '../../src/twin/wire.ts';

/** The first message of a stream of frames. */
export type Hello = TypeOf<typeof HelloSchema>;

/** The seconds around a collision, as it was or with features on. */
export interface Replay {
  incident: string;
  with: FeatureName[];
  frames: Snapshot[];
  /** Of the first contact; null if there is none. */
  contact_tick: number | null;
}

/** A copy of the whole state of a world. */
export interface StateImage {
  tick: number;
  /** Number of the last change that is in it. */
  seq: number;
  bytes: Uint8Array;
}

/** What happened in a part of a life. */
export interface Happened {
  events: EventRecord[];
  /** Incident by incident. */
  contacts: ContactFacts[];
  incidents: Incident[];
}
