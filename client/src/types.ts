import type { TypeOf } from '../../src/schema.ts';
import type { Hello as HelloSchema } from '../../src/twin/wire.ts';

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
  Snapshot,
  Telemetry,
} from '../../src/twin/wire.ts';

/** The first message of a stream of frames. */
export type Hello = TypeOf<typeof HelloSchema>;

/** A copy of the whole state of a world. */
export interface StateImage {
  tick: number;
  /** Number of the last change that is in it. */
  seq: number;
  bytes: Uint8Array;
}
