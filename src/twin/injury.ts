/**
 * Injury risk of the persons involved in a collision.
 *
 * Logistic curves of the probability of a serious injury (MAIS 3 or more) fitted to US crash
 * reports; coefficients as published by Geisslinger, Poszler and Lienkamp, "An ethical trajectory
 * planning algorithm for autonomous vehicles", Nature Machine Intelligence 5 (2023),
 * harm_parameters.json. The curves were fitted to crashes after which a car was towed, and are not
 * 0 at speed 0. The reported risk is the part above that, so that a touch while parking has none.
 */
export const IMPACT_AREAS = ['front', 'side', 'rear'] as const;
type ImpactArea = (typeof IMPACT_AREAS)[number];
export const SEVERITIES = ['slight', 'serious', 'severe'] as const;
type Severity = (typeof SEVERITIES)[number];

/** Delta-v of the vehicle for an occupant, impact speed for a person outside, both m/s. */
const INJURY = {
  occupant: { constant: -4.457, perMps: 0.177, area: { front: 0, side: 0.244, rear: -0.431 } },
  pedestrian: { constant: -3.164, perMps: 0.288 },
} as const;

/** Risks from which an injury is serious and severe: classes 3 and 4 of the source, of 0 to 5. */
const SERIOUS_RISK = 0.05;
const SEVERE_RISK = 0.1;

/** Points for a serious injury of an occupant with probability 1; pedestrians count more. */
export const POINTS = { perRisk: 1000, perClosingMps: 10, pedestrianWeight: 1.5 } as const;

export const REPAIR_COST_PER_KJ = 250;

/** P(MAIS 3+) of an occupant, from the curve. */
export function occupantProbability(deltaVMps: number, area: ImpactArea): number {
  const { constant, perMps, area: areas } = INJURY.occupant;
  return logistic(constant + perMps * deltaVMps + areas[area]);
}

/** P(MAIS 3+) of a pedestrian, from the curve. */
export function pedestrianProbability(impactMps: number): number {
  return logistic(INJURY.pedestrian.constant + INJURY.pedestrian.perMps * impactMps);
}

export function occupantRisk(deltaVMps: number, area: ImpactArea): number {
  return adjusted(occupantProbability(deltaVMps, area), occupantProbability(0, area));
}

export function pedestrianRisk(impactMps: number): number {
  return adjusted(pedestrianProbability(impactMps), pedestrianProbability(0));
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function adjusted(probability: number, atRest: number): number {
  return (probability - atRest) / (1 - atRest);
}

/**
 * Front within 45° of straight ahead, rear within 45° of straight behind, side between.
 * @param impactX,impactY from the car's centre to the contact, in its own axes: ahead and left
 */
export function impactArea(impactX: number, impactY: number): ImpactArea {
  if (Math.abs(impactX) <= Math.abs(impactY)) return 'side';
  return impactX > 0 ? 'front' : 'rear';
}

/** @param risk the highest of the persons involved */
export function severityOf(risk: number): Severity {
  if (risk < SERIOUS_RISK) return 'slight';
  return risk < SEVERE_RISK ? 'serious' : 'severe';
}

/**
 * Deformation energy of a central plastic impact, J.
 * @param massB Infinity for a fixed body
 */
export function deformationEnergyJ(massA: number, massB: number, closingMps: number): number {
  const reducedMass = massA / (1 + massA / massB);
  return 0.5 * reducedMass * closingMps * closingMps;
}
