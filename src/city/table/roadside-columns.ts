import {
  PT_TX,
  PT_TY,
  PT_X,
  PT_Y,
  RS_HX,
  RS_HY,
  RS_LANE,
  RS_STATION,
  RS_X,
  RS_Y,
} from '../../../assembly/layout.ts';
import { bayRightM } from './bay.ts';
import type { LaneOfPoints } from './point-columns.ts';
import type { Column, Records } from './records.ts';

/** Places beside points of lanes. */
export function* roadsideColumns(
  places: Records,
  points: Records,
  lanes: readonly LaneOfPoints[],
): Generator<Column> {
  const laneOf = (i: number) => places.i32(RS_LANE, i);
  const get = (field: number, i: number) => places.f32(field, i);
  yield places.column('i32', RS_LANE);
  yield places.column('f32', RS_STATION, (i) => {
    const isSame = i > 1 && laneOf(i) === laneOf(i - 1) && laneOf(i - 1) === laneOf(i - 2);
    return isSame ? 2 * get(RS_STATION, i - 1) - get(RS_STATION, i - 2) : get(RS_STATION, i - 1);
  });
  const pointOf = (field: number, i: number) => {
    const { first, spacingM } = lanes[laneOf(i)] as LaneOfPoints;
    return points.f32(field, first + Math.round(get(RS_STATION, i) / spacingM));
  };
  yield places.column('f32', RS_HX, (i) => pointOf(PT_TX, i));
  yield places.column('f32', RS_HY, (i) => pointOf(PT_TY, i));
  const rightM = (i: number) => bayRightM(lanes[laneOf(i)]?.halfWidthM ?? 0);
  yield places.column('f32', RS_X, (i) => pointOf(PT_X, i) + rightM(i) * get(RS_HY, i));
  yield places.column('f32', RS_Y, (i) => pointOf(PT_Y, i) - rightM(i) * get(RS_HX, i));
}
