/** A permanent body beside the road: its name in events, previews of links and maps, and its height. */
export interface BesideRoad {
  name: string;
  heightM: number;
}

/** By kind of spot. A car that hits one has left its lane. */
const BESIDE_ROAD: Readonly<Record<string, BesideRoad>> = {
  parked_row_child: { name: 'parked car', heightM: 1.45 },
  deer_crossing: { name: 'hedge', heightM: 1.5 },
  blind_crossing: { name: 'hoarding', heightM: 2.2 },
  ice_bend: { name: 'bollard', heightM: 1 },
  sharp_bend: { name: 'wall', heightM: 1.5 },
};

const UNKNOWN: BesideRoad = { name: 'obstacle', heightM: 1.5 };

/** What a car hits that leaves its lane at a spot of this kind. */
export const besideRoadAt = (kind: string): BesideRoad => BESIDE_ROAD[kind] ?? UNKNOWN;
