/** A roadside place: the largest car, with room to open a door. */
export const BAY = { lengthM: 5.4, widthM: 2.1 } as const;
const BESIDE_LANE_M = 0.25;

/** From the centre line of a lane to the middle of a place beside it. */
export const bayRightM = (halfWidthM: number): number =>
  halfWidthM + BESIDE_LANE_M + BAY.widthM / 2;
