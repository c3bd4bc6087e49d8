import type { AssetSource } from './city-assets.ts';
import type { Platform } from './platform.ts';

/** What matters of a journal as `GET /api/v1/worlds/{id}/journal` returns it. */
export interface GivenJournal {
  seed: number;
  city: string;
  changes: readonly { tick: number; car: number; features: Partial<Record<string, boolean>> }[];
}

/** What a new world is to be. */
export interface GivenWorld {
  /** By default that of the journal, else the first of the catalogue. */
  city?: string | undefined;
  seed?: number | undefined;
  /** The changes apply as the world comes to their ticks. Leave out seed and city then. */
  journal?: GivenJournal | undefined;
}

export interface NewLocalWorld extends GivenWorld {
  assets: AssetSource;
  /** Ten characters, as of a node's world: VINs follow from it. */
  id?: string;
  /** Changes will come a little late: images of the last two seconds are kept. */
  isFollower?: boolean;
  platform?: Platform;
}
