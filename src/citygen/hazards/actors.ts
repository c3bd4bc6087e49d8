import type { Actor, HazardKind } from '../../city/types.ts';

const KMH = 1 / 3.6;

/** Sizes and speeds: Euro NCAP's targets (AEB VRU 4.5, C2C 4.3) and road vehicles of their kind. */
export const HAZARD_ACTORS: Readonly<Record<HazardKind, Actor | undefined>> = {
  parked_row_child: person('child', 0.5, 30, 5 * KMH),
  sudden_stop: vehicle('car', 4.5, 1.8, 1400, 50 * KMH),
  fog_stall: vehicle('broken-down car', 4.5, 1.8, 1400, 0),
  deer_crossing: {
    kind: 'animal',
    name: 'deer',
    lengthM: 1.1,
    widthM: 0.35,
    massKg: 23,
    speedMps: 3,
  },
  red_light_lorry: vehicle('lorry', 10, 2.5, 12_000, 40 * KMH),
  blind_crossing: vehicle('car', 4.5, 1.8, 1400, 60 * KMH),
  left_turn_oncoming: vehicle('car', 4.5, 1.8, 1400, 55 * KMH),
  wet_crest: {
    kind: 'obstacle',
    name: 'obstacle',
    lengthM: 2,
    widthM: 1,
    massKg: 300,
    speedMps: 0,
  },
  ice_bend: undefined,
  sharp_bend: undefined,
  downhill_stop: vehicle('car', 4.5, 1.8, 1400, 50 * KMH),
  blind_stall: vehicle('lorry', 10, 2.5, 12_000, 45 * KMH),
  tram_crossing: vehicle('tram', 20, 2.4, 40_000, 40 * KMH),
  dark_zebra: person('pedestrian', 0.6, 75, 8 * KMH),
  cut_in: vehicle('delivery van', 5.9, 2, 2800, 15 * KMH),
};

function person(name: string, sizeM: number, massKg: number, speedMps: number): Actor {
  return { kind: 'person', name, lengthM: sizeM, widthM: sizeM, massKg, speedMps };
}

function vehicle(
  name: string,
  lengthM: number,
  widthM: number,
  massKg: number,
  speedMps: number,
): Actor {
  return { kind: 'vehicle', name, lengthM, widthM, massKg, speedMps };
}
