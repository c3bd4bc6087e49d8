import { describe, expect, test } from 'vitest';
import {
  deformationEnergyJ,
  impactArea,
  occupantProbability,
  occupantRisk,
  pedestrianProbability,
  pedestrianRisk,
  severityOf,
} from './injury.ts';

/** m/s; front, side and rear of the occupant's curve; the pedestrian's curve. */
const SAMPLES = [
  [0, 0.011464151520237848, 0.014585995585621745, 0.007480106695524353, 0.04054316960748107],
  [2, 0.016254458934931416, 0.020653514480972298, 0.010623567461388221, 0.06991472437279515],
  [5, 0.027331591506341766, 0.03462301662905805, 0.017933298395449673, 0.15135665554987895],
  [8, 0.04560762343237065, 0.05748650569982582, 0.03011950191351196, 0.2973393456552684],
  [10, 0.06374482845633153, 0.07995195498099372, 0.04237084872852777, 0.42947339680370117],
  [12, 0.08842654261750577, 0.11017056916793466, 0.059300835250568916, 0.5724856953888093],
  [15, 0.1416077805650597, 0.1739338213418827, 0.09682597137088281, 0.7606051344021185],
  [20, 0.28556955911966186, 0.3378254164233859, 0.20619753967505272, 0.9306037023661192],
  [25, 0.4920006825967688, 0.5528023854446936, 0.38627438221524535, 0.9826387356032255],
  [30, 0.7011960820325177, 0.749697574040755, 0.6039617331092244, 0.9958314094725742],
] as const;

/** Speeds at which serious and severe injuries begin, to the cm/s. */
const AREAS = [
  ['front', 9.72, 13.39],
  ['side', 8.63, 12.17],
  ['rear', 11.77, 15.61],
] as const;

describe('injury curves', () => {
  test.each(SAMPLES)(
    '[I8] give the published probabilities at %d m/s',
    (mps, front, side, rear, foot) => {
      expect(occupantProbability(mps, 'front')).toBeCloseTo(front, 14);
      expect(occupantProbability(mps, 'side')).toBeCloseTo(side, 14);
      expect(occupantProbability(mps, 'rear')).toBeCloseTo(rear, 14);
      expect(pedestrianProbability(mps)).toBeCloseTo(foot, 14);
    },
  );

  test('give a risk of 0 at rest, near 1 at high speed and growing between', () => {
    for (const risk of [(v: number) => occupantRisk(v, 'side'), pedestrianRisk]) {
      expect(risk(0)).toBe(0);
      expect(risk(80)).toBeGreaterThan(0.99);
      for (let v = 0; v < 40; v++) expect(risk(v + 1)).toBeGreaterThan(risk(v));
    }
  });
});

describe('the severity', () => {
  const at = (risk: (mps: number) => number, mps: number) =>
    [mps - 0.01, mps + 0.01].map((each) => severityOf(risk(each)));

  test.each(AREAS)('of an impact at the %s begins at %d and %d m/s', (area, serious, severe) => {
    const risk = (mps: number) => occupantRisk(mps, area);
    expect(at(risk, serious)).toEqual(['slight', 'serious']);
    expect(at(risk, severe)).toEqual(['serious', 'severe']);
  });

  test('of a pedestrian begins at the published impact speeds', () => {
    expect(at(pedestrianRisk, 2.89)).toEqual(['slight', 'serious']);
    expect(at(pedestrianRisk, 4.58)).toEqual(['serious', 'severe']);
  });
});

test('an impact within 45° of straight ahead or behind is a front or rear impact', () => {
  const at = (degrees: number) => {
    const angle = (degrees * Math.PI) / 180;
    return impactArea(Math.cos(angle), Math.sin(angle));
  };
  expect([0, 44, -44].map(at)).toEqual(['front', 'front', 'front']);
  expect([46, 90, 134, -46, -134].map(at)).toEqual(['side', 'side', 'side', 'side', 'side']);
  expect([136, 180, -136].map(at)).toEqual(['rear', 'rear', 'rear']);
});

describe('a central plastic impact', () => {
  test('turns the energy lost at the common speed into deformation', () => {
    // Rear end: 1,500 kg at 13.89 m/s into 1,093.3 kg at 5.56 m/s.
    expect(deformationEnergyJ(1500, 1093.3, 8.33)).toBeCloseTo(21940.062190066732, 8);
  });

  test('of two equal cars head on turns all energy into deformation', () => {
    expect(deformationEnergyJ(1500, 1500, 27.78)).toBeCloseTo(289398.15, 8);
  });

  test('with a fixed body turns all energy into deformation', () => {
    expect(deformationEnergyJ(1200, Number.POSITIVE_INFINITY, 10)).toBe(60_000);
  });
});
