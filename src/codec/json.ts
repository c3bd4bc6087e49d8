import type { Notation } from './notation.ts';

const encoder = new TextEncoder();
const text = (part: string): Uint8Array => encoder.encode(part);
const quoted = JSON.stringify;

const AT_REST = { heading: 0, length: 0, width: 0 };

/** Every element of a list ends with a comma. The text after the list overwrites the last comma. */
export const JSON_NOTATION: Notation = {
  fixed: [
    ',"time":',
    ',"vehicles":[',
    ',"y":',
    ',"heading":',
    ',"speed":',
    '],"lights":[',
    '],"hazards":[',
    ',"length":',
    ',"width":',
    '},',
    ']}',
  ].map(text),
  head: (worldId) => text(`{"type":"snapshot","world":${quoted(worldId)},"tick":`),
  vehicle: (vin) => text(`{"vin":${quoted(vin)},"x":`),
  place: (id) => text(`,"road":${quoted(id)},"gap":`),
  tail: (condition) => text(`,${quoted(condition).slice(1)},`),
  light: (id, state) => text(`${quoted({ id, state })},`),
  hazard: (id, kind, active) => text(`${quoted({ id, kind, active }).slice(0, -1)},"x":`),
  resting: (id, kind, xCm, yCm) =>
    text(`${quoted({ id, kind, active: false, x: xCm / 100, y: yCm / 100, ...AT_REST })},`),
};
