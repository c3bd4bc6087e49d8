/**
 * What a report has earned, computed anew from what it shows and the published formulas alone: the
 * curves of Geisslinger, Poszler and Lienkamp (2023) and the rules of docs/driving.md. It shares no
 * code with the product.
 */
import type { Incident } from '../../twin/wire.ts';

/** Constant and slope by m/s of the logistic curves, P(MAIS 3+). */
const OCCUPANT = { front: [-4.457, 0.177], side: [-4.213, 0.177], rear: [-4.888, 0.177] } as const;
const PEDESTRIAN = [-3.164, 0.288] as const;

type Area = keyof typeof OCCUPANT;

/** What is needed of a report. */
interface ShownReport {
  readonly vehicles: readonly { delta_v: number; impact_area: Area }[];
  readonly other: readonly {
    delta_v: number;
    impact_area: Area | null;
    impact_speed: number | null;
  }[];
  readonly closing_speed: number;
  readonly deformation_energy: number;
}

export function recomputed(report: ShownReport): Incident['earned'] {
  const occupants = [...report.vehicles, ...report.other].flatMap(({ impact_area, delta_v }) =>
    impact_area === null ? [] : [adjusted(OCCUPANT[impact_area], delta_v)],
  );
  const outside = report.other.flatMap(({ impact_speed }) =>
    impact_speed === null ? [] : [adjusted(PEDESTRIAN, impact_speed)],
  );
  let sum = 0;
  for (const risk of occupants) sum += risk;
  for (const risk of outside) sum += 1.5 * risk;
  const risk = Number(Math.max(...occupants, ...outside).toFixed(4));
  const points = Math.round(1000 * sum) + 10 * report.closing_speed;
  return {
    severity: risk >= 0.1 ? 'severe' : risk >= 0.05 ? 'serious' : 'slight',
    injury_risk: risk,
    points: Number(points.toFixed(2)),
    repair_cost: Number((0.25 * report.deformation_energy).toFixed(2)),
  };
}

function adjusted([constant, slope]: readonly [number, number], speedMps: number): number {
  const probability = (mps: number) => 1 / (1 + Math.exp(-(constant + slope * mps)));
  return (probability(speedMps) - probability(0)) / (1 - probability(0));
}
