import { describe, expect, test } from 'vitest';
import { at, distanceToPath } from '../../src/city/geometry.ts';
import type { HazardKind } from '../../src/city/types.ts';
import { covers } from '../../src/citygen/geometry.ts';
import { endsOf } from '../../src/citygen/hazards/paths.ts';
import {
  ACTUATORS,
  acts,
  contactOf,
  frontOffset,
  MODEL_WIDTH_M,
  stageOf,
  stepUntil,
} from '../../src/testing/rigs/hazard-stage.ts';
import { cities, look, makeOneWorld, stepTo } from '../../src/testing/rigs/kernel.ts';
import { Vanishing } from '../../src/testing/rigs/vanishing.ts';
import {
  A_ARMED,
  A_CAR,
  A_SENT,
  A_SINCE,
  A_SPEED,
  A_STATE,
  A_STATION,
  A_X,
  A_Y,
  ACTOR_LEAVES,
  ACTOR_STANDS,
  ACTOR_WAITS,
  C_X,
  C_Y,
  CAR_COUNT,
  EVENT_COLLISION,
  EVENT_HAZARD,
  FRAME_TICKS,
  OTHER_ACTOR,
  TICKS_PER_S,
} from '../layout.ts';

const MINUTE_TICKS = 60 * TICKS_PER_S;

/** Kinds whose actor sets off at a time to arrival, s, with a suitable speed of the car. */
const TIMED: readonly [HazardKind, seconds: number, speedMps: number][] = [
  ['parked_row_child', 3.1, 12],
  ['deer_crossing', 3.3, 13.5],
  ['dark_zebra', 3.2, 14],
  ['blind_crossing', 6.5, 8],
  ['tram_crossing', 8, 8],
];

describe.each(TIMED)('The actor of a %s', (kind, seconds, speedMps) => {
  const wayM = (seconds + 1) * speedMps;

  test('sets off when the car is near enough, and not before.', () => {
    const stage = stageOf(kind);
    const [car] = stage.set({ wayM, speedMps });
    const { kernel, slab } = stage;
    const from = stage.tick;
    expect(stepUntil(stage, acts(stage), 150)).toBe(true);
    expect((stage.tick - from) / 50).toBeGreaterThan(0.4);
    expect((stage.tick - from) / 50).toBeLessThan(2);
    expect(stage.i32(A_CAR)).toBe(car);
    expect(stage.i32(A_SENT)).toBe(1);
    const event = kernel.events(slab).at(-1);
    expect(event).toMatchObject({ kind: EVENT_HAZARD, car, hazard: stage.spot });
  });

  test('[C19] meets the front of a car that does not react, mostly its middle two thirds.', () => {
    const awayM = [-0.8, -0.4, 0, 0.4, 0.8].map((fasterMps) => {
      // On a road that goes straight on, so that the car keeps its speed.
      const stage = stageOf(kind, 1, kind === 'deer_crossing' ? 'old-town' : undefined);
      const mps = speedMps + fasterMps;
      const [car] = stage.set({ wayM: (seconds + 1) * mps, speedMps: mps, features: ACTUATORS });
      const contact = contactOf(stage, 600);
      expect(contact).toMatchObject({ hazard: stage.spot, block: -1 });
      expect(contact?.parties.map((party) => party.car)).toEqual([car, -1]);
      const { actor } = stage.hazard.site;
      expect(contact?.parties[1].massKg).toBe(actor?.massKg);
      const event = stage.kernel.events(stage.slab).at(-1);
      expect(event).toMatchObject({
        kind: EVENT_COLLISION,
        hazard: stage.spot,
        other: OTHER_ACTOR,
      });
      return Math.abs(contact ? frontOffset(contact) : Number.NaN);
    });
    expect(Math.max(...awayM)).toBeLessThan(MODEL_WIDTH_M / 2 + 0.01);
    expect(
      at(
        awayM.toSorted((a, b) => a - b),
        2,
      ),
    ).toBeLessThan(MODEL_WIDTH_M / 3);
  });

  test('[C19] does not touch a car with all features on.', () => {
    const stage = stageOf(kind);
    stage.set({ wayM, speedMps });
    expect(contactOf(stage, 590)).toBeUndefined();
    expect(stage.i32(A_SENT)).toBe(1);
  });

  test('does not set off for a slow car, nor while the spot is in a pause.', () => {
    const slow = stageOf(kind);
    slow.set({ wayM: 9, speedMps: 1, features: 0 });
    expect(stepUntil(slow, acts(slow), 400)).toBe(false);
    const paused = stageOf(kind);
    paused.set({ wayM, speedMps });
    paused.setActor(A_ARMED, 1_000_000);
    expect(stepUntil(paused, acts(paused), 400)).toBe(false);
    expect(paused.i32(A_SENT)).toBe(0);
  });

  test('stops before a car in its path, continues when the car is gone, and then pauses.', () => {
    const stage = stageOf(kind);
    stage.set({ wayM, speedMps });
    stepUntil(stage, acts(stage), 150);
    // The car stands across the actor's way now.
    const [standing] = stage.set({ wayM: -2, speedMps: 0, features: 0 });
    stage.setActor(A_CAR, CAR_COUNT - 1);
    const stops = stepUntil(
      stage,
      () => stage.real(A_STATION) > 1 && stage.real(A_SPEED) === 0,
      550,
    );
    expect(stops).toBe(true);
    expect(stage.contactCount).toBe(0);
    const awayM = Math.hypot(
      stage.real(A_X) - stage.car(C_X, standing ?? 0),
      stage.real(A_Y) - stage.car(C_Y, standing ?? 0),
    );
    expect(awayM).toBeGreaterThan(MODEL_WIDTH_M / 2);
    stage.set();
    stage.setActor(A_ARMED, 0);
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_WAITS, 1500)).toBe(true);
    const pauseS = (stage.i32(A_ARMED) - stage.i32(A_SINCE)) / 50;
    expect(pauseS).toBeGreaterThanOrEqual(4.98);
    expect(pauseS).toBeLessThan(60);
  });
});

describe('A vehicle that has broken down', () => {
  test('stands in the lane for a minute, is pulled into a bay, and comes again after 30 to 60 s.', () => {
    const stage = stageOf('fog_stall');
    const { kernel, slab, hazard } = stage;
    const { end } = endsOf(hazard.site.actorPath, at(hazard.site.active, 0));
    let stood = 0;
    let sinceTick = 0;
    let state = stage.i32(A_STATE);
    while (stage.tick < 60_000) {
      kernel.step(slab, FRAME_TICKS - (stage.tick % FRAME_TICKS));
      const now = stage.i32(A_STATE);
      if (now === state) continue;
      if (now === ACTOR_STANDS) {
        sinceTick = stage.tick;
        const { x, y } = at(hazard.site.active, 0);
        expect([stage.real(A_X), stage.real(A_Y)]).toEqual([x, y]);
      } else if (now === ACTOR_LEAVES) {
        stood++;
        expect((stage.tick - sinceTick) / TICKS_PER_S).toBeLessThan(61);
      } else if (now === ACTOR_WAITS) {
        expect(stage.real(A_X)).toBeCloseTo(end.x, 9);
        expect(stage.real(A_Y)).toBeCloseTo(end.y, 9);
        const pauseS = (stage.i32(A_ARMED) - stage.i32(A_SINCE)) / TICKS_PER_S;
        expect(pauseS).toBeGreaterThanOrEqual(29.98);
        expect(pauseS).toBeLessThan(60);
      }
      state = now;
    }
    expect(stood).toBeGreaterThanOrEqual(4);
    expect(stage.i32(A_SENT) - stood).toBeLessThanOrEqual(1);
  });

  test('is pulled away once a car has stood behind it for 8 s.', () => {
    const stage = stageOf('fog_stall');
    stage.set();
    stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_STANDS, 100);
    stage.set({ wayM: 4, speedMps: 0, features: 0 });
    const from = stage.tick;
    expect(stepUntil(stage, () => stage.i32(A_STATE) === ACTOR_LEAVES, 590)).toBe(true);
    expect(stage.tick - from).toBeGreaterThanOrEqual(400);
    expect(stage.tick - from).toBeLessThanOrEqual(412);
    expect(stage.contactCount).toBe(0);
  });
});

describe.each(cities.cities.map((city, index) => ({ city, index })))(
  'The actors of $city.name',
  ({ city, index }) => {
    test('[C29] appear and vanish only where no car sees it, and move without a jump.', () => {
      const seen: string[] = [];
      const jumps: string[] = [];
      let changes = 0;
      for (const seed of [81, 82]) {
        const { kernel, slab } = makeOneWorld(seed, index);
        const vanishing = new Vanishing(city);
        for (let tick = FRAME_TICKS; tick <= 10 * MINUTE_TICKS; tick += FRAME_TICKS) {
          stepTo(kernel, slab, tick);
          for (const { spot, what, isSeen } of vanishing.readActors(look(kernel, slab))) {
            const where = `seed ${seed} tick ${tick} ${at(city.hazards, spot).kind} ${what}`;
            if (what === 'jump') jumps.push(where);
            else changes++;
            if (isSeen) seen.push(where);
          }
        }
      }
      expect(jumps).toEqual([]);
      expect(seen).toEqual([]);
      expect(changes).toBeGreaterThan(150);
    });

    test('[C29] end in no building.', () => {
      for (const { id, site } of city.hazards) {
        if (site.actorPath.length === 0) continue;
        for (const [x, y] of [at(site.actorPath, 0), at(site.actorPath, -1)]) {
          const inside = city.blocks.filter(
            ({ solid, polygon }) => solid && covers(polygon, [x, y]),
          );
          expect(inside.map((block) => `${id} in ${block.id}`)).toEqual([]);
        }
      }
    });

    test('[C29] stand in no lane that cars drive when they wait or have gone their way.', () => {
      const driven = new Set(city.routes.flat());
      for (const { id, kind, site } of city.hazards) {
        if (site.actorPath.length === 0) continue;
        const rest = at(site.actorPath, kind === 'wet_crest' ? 0 : -1);
        const inLane = [...driven].filter((index) => {
          const { polyline, widthM } = at(city.lanes, index);
          return distanceToPath(rest, polyline) < widthM / 2;
        });
        expect(inLane.map((lane) => `${id} in ${lane}`)).toEqual([]);
      }
    });
  },
);

test('Equal worlds have equal hazards; another seed has others.', () => {
  const log = (seed: number): string => {
    const { kernel, slab } = makeOneWorld(seed);
    const sends: string[] = [];
    stepTo(kernel, slab, 9000);
    for (const { kind, tick, hazard, car } of kernel.events(slab)) {
      if (kind === EVENT_HAZARD) sends.push(`${tick} ${hazard} ${car}`);
    }
    expect(sends.length).toBeGreaterThan(5);
    return sends.join();
  };
  expect(log(5)).toBe(log(5));
  expect(log(5)).not.toBe(log(6));
});
