import { describe, expect, it, test } from 'vitest';
import { loadProbe } from '../src/testing/rigs/probe.ts';

const probe = loadProbe();

interface Body {
  massKg: number;
  inertia: number;
  v: readonly [number, number];
  yawRate: number;
  /** From the centre of gravity to the contact. */
  r: readonly [number, number];
}

const CAR: Body = { massKg: 1500, inertia: 2500, v: [0, 0], yawRate: 0, r: [2.2, 0] };
/** No force moves it. */
const WALL: Body = { ...CAR, massKg: Number.POSITIVE_INFINITY, inertia: Number.POSITIVE_INFINITY };

interface Contact {
  a: Body;
  b: Body;
  n: readonly [number, number];
  e: number;
}

const pointVelocity = ({ v, yawRate, r }: Body) =>
  [v[0] - yawRate * r[1], v[1] + yawRate * r[0]] as const;

function collide({ a, b, n, e }: Contact) {
  const [ua, ub] = [pointVelocity(a), pointVelocity(b)];
  const u = [ua[0] - ub[0], ua[1] - ub[1]] as const;
  const [first, second] = [a, b].map(({ massKg, inertia, r }) => [1 / massKg, 1 / inertia, ...r]);
  const lost = probe.impulse(...(first ?? []), ...(second ?? []), ...n, ...u, e, 0.5);
  const j = [probe.impulseX(), probe.impulseY()] as const;
  return {
    lost,
    jn: j[0] * n[0] + j[1] * n[1],
    jt: j[1] * n[0] - j[0] * n[1],
    a: pushed(a, j),
    b: pushed(b, [-j[0], -j[1]]),
  };
}

function pushed(body: Body, [jx, jy]: readonly [number, number]) {
  const { massKg, inertia, v, r } = body;
  return {
    ...body,
    v: [v[0] + jx / massKg, v[1] + jy / massKg] as const,
    yawRate: body.yawRate + (r[0] * jy - r[1] * jx) / inertia,
    deltaV: Math.hypot(jx, jy) / massKg,
  };
}

function energyOf({ massKg, inertia, v, yawRate }: Body): number {
  if (massKg === Number.POSITIVE_INFINITY) return 0;
  return (massKg * (v[0] ** 2 + v[1] ** 2) + inertia * yawRate ** 2) / 2;
}

describe('the impulse of a contact', () => {
  test('of a rear-end collision between equals is shared by halves', () => {
    const out = collide({
      a: { ...CAR, v: [13.89, 0] },
      b: { ...CAR, r: [-2.2, 0] },
      n: [1, 0],
      e: 0.1,
    });
    expect(out.jn).toBeCloseTo(-11_459.25, 8);
    expect(out.jt).toBeCloseTo(0, 12);
    expect(out.a.v[0]).toBeCloseTo(6.2505, 12);
    expect(out.b.v[0]).toBeCloseTo(7.6395, 12);
    expect([out.a.yawRate, out.b.yawRate]).toEqual([0, 0]);
    expect(out.lost).toBeCloseTo(71_626.042125, 6);
  });

  test('into a lighter car gives it the greater change of speed, and both the common speed', () => {
    const out = collide({
      a: { ...CAR, v: [13.89, 0] },
      b: { ...CAR, massKg: 1093.3, inertia: 1791.6, v: [5.56, 0], r: [-2.2, 0] },
      n: [1, 0],
      e: 0,
    });
    expect(out.jn).toBeCloseTo(-5267.72201442178, 8);
    expect(out.a.v[0]).toBeCloseTo(10.378185323718814, 12);
    expect(out.b.v[0]).toBeCloseTo(10.378185323718814, 12);
    expect(out.a.deltaV).toBeCloseTo(3.511814676281187, 12);
    expect(out.b.deltaV).toBeCloseTo(4.818185323718814, 12);
    expect(out.lost).toBeCloseTo(21_940.062190066732, 6);
  });

  test('of a plastic head-on collision of equals stops both', () => {
    const out = collide({
      a: { ...CAR, v: [13.89, 0] },
      b: { ...CAR, v: [-13.89, 0], r: [-2.2, 0] },
      n: [1, 0],
      e: 0,
    });
    expect(out.jn).toBeCloseTo(-20_835, 8);
    expect([out.a.v[0], out.b.v[0]]).toEqual([0, 0]);
    expect(out.lost).toBeCloseTo(289_398.15, 6);
  });

  test('into the side of a moving car drags the one along and turns both', () => {
    const out = collide({
      a: { ...CAR, v: [13.89, 0] },
      b: { ...CAR, v: [0, 8.33], r: [-0.9, 0] },
      n: [1, 0],
      e: 0.05,
    });
    expect(out.jn).toBeCloseTo(-10_938.375, 8);
    expect(out.jt).toBeCloseTo(2318.181818181818, 8);
    expect(out.a.v[0]).toBeCloseTo(6.59775, 12);
    expect(out.a.v[1]).toBeCloseTo(1.5454545454545454, 12);
    expect(out.a.yawRate).toBeCloseTo(2.04, 12);
    expect(out.b.v[0]).toBeCloseTo(7.29225, 12);
    expect(out.b.v[1]).toBeCloseTo(6.784545454545455, 12);
    expect(out.b.yawRate).toBeCloseTo(0.8345454545454546, 12);
    expect(out.a.deltaV).toBeCloseTo(7.4542162441511, 12);
    expect(out.lost).toBeCloseTo(81_823.89092897726, 6);
  });

  test('of an offset head-on collision turns both by their levers', () => {
    const out = collide({
      a: { ...CAR, v: [13.89, 0], r: [2.2, 0.45] },
      b: { ...CAR, v: [-13.89, 0], r: [-2.2, -0.45] },
      n: [1, 0],
      e: 0,
    });
    // kn = 2/1500 + 2 · 0.45²/2500
    expect(out.a.deltaV).toBeCloseTo(27.78 / (2 / 1500 + 0.405 / 2500) / 1500, 10);
    expect(out.a.deltaV).toBeCloseTo(12.39, 2);
    expect(out.a.yawRate).toBeCloseTo(3.34, 2);
    expect(out.b.yawRate).toBeCloseTo(out.a.yawRate, 12);
  });

  test('with a wall throws the car back and takes its energy', () => {
    const out = collide({ a: { ...CAR, v: [10, 0] }, b: WALL, n: [1, 0], e: 0.08 });
    expect(out.a.v[0]).toBeCloseTo(-0.8, 12);
    expect(out.lost).toBeCloseTo(0.5 * 1500 * (100 - 0.64), 6);
  });

  test('has friction of at most half the normal impulse', () => {
    const out = collide({ a: { ...CAR, v: [1, 20], r: [0, 0] }, b: WALL, n: [1, 0], e: 0 });
    expect(out.jn).toBeCloseTo(-1500, 10);
    expect(out.jt).toBeCloseTo(-750, 10);
  });

  test('is none where the bodies part', () => {
    const out = collide({ a: { ...CAR, v: [-1, 4] }, b: CAR, n: [1, 0], e: 0.3 });
    expect([out.lost, out.jn, out.jt]).toEqual([0, 0, 0]);
  });

  it('never adds energy, reports the loss, and stays within friction, for random bodies', () => {
    let state = 12_345;
    const random = (low: number, high: number) => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return low + ((high - low) * state) / 2 ** 32;
    };
    const body = (): Body => ({
      massKg: random(300, 4000),
      inertia: random(300, 8000),
      v: [random(-25, 25), random(-25, 25)],
      yawRate: random(-6, 6),
      r: [random(-2.5, 2.5), random(-2.5, 2.5)],
    });
    let contacts = 0;
    for (let i = 0; i < 20_000; i++) {
      const angle = random(0, 2 * Math.PI);
      const [a, b] = [body(), i % 4 === 0 ? WALL : body()];
      const n = [Math.cos(angle), Math.sin(angle)] as const;
      const out = collide({ a, b, n, e: random(0, 0.3) });
      const before = energyOf(a) + energyOf(b);
      const after = energyOf(out.a) + energyOf(out.b);
      expect(out.lost).toBeGreaterThanOrEqual(0);
      expect(Math.abs(before - after - out.lost)).toBeLessThan(1e-9 * before);
      expect(Math.abs(out.jt)).toBeLessThanOrEqual(0.5 * Math.abs(out.jn) * (1 + 1e-12));
      if (out.jn < 0) contacts++;
    }
    expect(contacts).toBeGreaterThan(5000);
  });
});

test('restitution falls from 0.3 for a touch to 0.05 for a crash', () => {
  const speeds = [0, 2, 5, 8, 10.5, 13, 30];
  const expected = [0.3, 0.3, 0.2, 0.1, 0.075, 0.05, 0.05];
  for (const [i, speed] of speeds.entries()) {
    expect(probe.restitution(speed)).toBeCloseTo(expected[i] ?? 0, 12);
  }
});
