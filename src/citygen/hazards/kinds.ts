import { DRY_FRICTION } from '../../../assembly/layout.ts';
import { ACTOR_NAMES } from '../../city/actor-names.ts';
import type { Actor, HazardKind, ZoneKind } from '../../city/types.ts';

/** How far a zone reaches from a spot, along the road and to either side of its lane, m. */
export interface ZoneRule {
  kind: ZoneKind;
  friction: number;
  beforeM: number;
  afterM: number;
  leftM: number;
  rightM: number;
}

interface KindEntry {
  radiusM: number;
  description: string;
  /** Moves onto the road or stands on it; without an actor the road itself is the hazard. */
  actor?: Actor;
  zone?: ZoneRule;
}

const KMH = 1 / 3.6;
const CAR_KG = 1400;

/** Lengths and widths of vehicles, m. */
export const CAR = { lengthM: 4.5, widthM: 1.8 } as const;
export const VAN = { lengthM: 5.9, widthM: 2 } as const;
export const LORRY = { lengthM: 10, widthM: 2.5 } as const;
export const TRAM = { lengthM: 20, widthM: 2.4 } as const;

/** Peak friction of asphalt under a film of water (Bosch Automotive Handbook, as for a dry road). */
const WET_FRICTION = 0.55;
/**
 * Slushy ice. Cars take bends with 2 m/s², which needs all of it: with less no car could hold its
 * lane, with more none would need ESC.
 */
const ICE_FRICTION = 0.2;

/**
 * All kinds of hazard. Sizes and speeds of actors follow Euro NCAP's targets (AEB VRU 4.5, C2C 4.3)
 * and road vehicles of their kind.
 */
export const HAZARD_KINDS: Readonly<Record<HazardKind, KindEntry>> = {
  parked_row_child: {
    radiusM: 40,
    description: 'A child may run out from between the parked cars.',
    actor: person(ACTOR_NAMES.parked_row_child, 0.5, 30, 5 * KMH),
  },
  sudden_stop: {
    radiusM: 40,
    description: 'The vehicle ahead may brake to a standstill without warning.',
    actor: vehicle(ACTOR_NAMES.sudden_stop, CAR, CAR_KG, 50 * KMH),
  },
  fog_stall: {
    radiusM: 60,
    description: 'A broken-down car stands in a bank of fog that a camera cannot see through.',
    actor: vehicle(ACTOR_NAMES.fog_stall, CAR, CAR_KG, 0),
    zone: area('fog', DRY_FRICTION, [60, 25], [14, 12]),
  },
  deer_crossing: {
    radiusM: 45,
    description: 'A deer may leap out of the hedge of the park and onto the road.',
    actor: {
      kind: 'animal',
      name: ACTOR_NAMES.deer_crossing,
      lengthM: 1.1,
      widthM: 0.35,
      massKg: 23,
      speedMps: 3,
    },
    zone: area('dusk', DRY_FRICTION, [50, 20], [9, 14]),
  },
  red_light_lorry: {
    radiusM: 40,
    description: 'A lorry crosses on its green the moment the light here turns red.',
    actor: vehicle(ACTOR_NAMES.red_light_lorry, LORRY, 12_000, 40 * KMH),
  },
  blind_crossing: {
    radiusM: 35,
    description: 'Houses hide a car that comes fast out of the side street.',
    actor: vehicle(ACTOR_NAMES.blind_crossing, CAR, CAR_KG, 55 * KMH),
  },
  left_turn_oncoming: {
    radiusM: 40,
    description: 'A waiting van hides fast oncoming traffic from whoever turns left.',
    actor: vehicle(ACTOR_NAMES.left_turn_oncoming, CAR, CAR_KG, 55 * KMH),
  },
  wet_crest: {
    radiusM: 45,
    description: 'A container may roll into half the lane behind a crest where the road is wet.',
    actor: {
      kind: 'obstacle',
      name: ACTOR_NAMES.wet_crest,
      lengthM: 2,
      widthM: 1,
      massKg: 300,
      speedMps: 0,
    },
    zone: area('wet', WET_FRICTION, [45, 20], [6, 3]),
  },
  ice_bend: {
    radiusM: 35,
    description: 'The bend lies in the shade and keeps a sheet of ice.',
    zone: area('ice', ICE_FRICTION, [12.5, 12.5], [1.75, 3]),
  },
  sharp_bend: {
    radiusM: 35,
    description: 'The fast road ends in a sharp bend with a wall right behind it.',
  },
  downhill_stop: {
    radiusM: 35,
    description: 'The street falls towards a stop line with cross traffic behind it.',
    actor: vehicle(ACTOR_NAMES.downhill_stop, CAR, CAR_KG, 50 * KMH),
  },
  blind_stall: {
    radiusM: 50,
    description: 'Lorries come through here that see a car standing on the road far too late.',
    actor: vehicle(ACTOR_NAMES.blind_stall, LORRY, 12_000, 45 * KMH),
  },
  tram_crossing: {
    radiusM: 40,
    description: 'A tram crosses here that cannot stop for whoever is slow to clear its track.',
    actor: vehicle(ACTOR_NAMES.tram_crossing, TRAM, 40_000, 40 * KMH),
  },
  dark_zebra: {
    radiusM: 40,
    description: 'Somebody in dark clothes may walk over the unlit zebra crossing.',
    actor: person(ACTOR_NAMES.dark_zebra, 0.6, 75, 8 * KMH),
    zone: area('dusk', DRY_FRICTION, [45, 15], [9, 6]),
  },
  cut_in: {
    radiusM: 40,
    description: 'A delivery van may pull out of its bay right in front of a car.',
    actor: vehicle(ACTOR_NAMES.cut_in, VAN, 2800, 15 * KMH),
  },
};

function person(name: string, sizeM: number, massKg: number, speedMps: number): Actor {
  return { kind: 'person', name, lengthM: sizeM, widthM: sizeM, massKg, speedMps };
}

function vehicle(
  name: string,
  size: Pick<Actor, 'lengthM' | 'widthM'>,
  massKg: number,
  speedMps: number,
): Actor {
  return { kind: 'vehicle', name, ...size, massKg, speedMps };
}

function area(
  kind: ZoneKind,
  friction: number,
  [beforeM, afterM]: readonly [number, number],
  [leftM, rightM]: readonly [number, number],
): ZoneRule {
  return { kind, friction, beforeM, afterM, leftM, rightM };
}
