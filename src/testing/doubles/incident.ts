import type { Incident } from '../../twin/wire.ts';

/** An incident of one car with an obstacle in front of it. @param fields what matters to the test */
export function incidentWith(vin: string, fields: Partial<Incident>): Incident {
  return {
    id: 'i1-0',
    world: '0000000000',
    tick: 1,
    time: 0.02,
    place: { x: 0, y: 0, road: 'r1', street: 's' },
    kind: 'obstacle',
    vehicles: [
      {
        ...{ vin, model: 'm', plate: 'p', role: 'striking', speed: 5, heading: 0 },
        ...{ mass: 1500, delta_v: 2, impact_area: 'front' },
        ...{ off: ['aeb'], degraded: [] },
      },
    ],
    other: [],
    closing_speed: 5,
    deformation_energy: 1000,
    explained: true,
    failures: [],
    earned: { severity: 'slight', injury_risk: 0, points: 0, repair_cost: 0 },
    ...fields,
  };
}
