import type { Theme } from '../../common/theme.ts';

/** Colours in the light and the dark theme. */
const COLOURS = {
  sky: [0xdfe8ee, 0x0d1218],
  ground: [0xe2e6dc, 0x151b21],
  pavement: [0xcfd0ca, 0x252d36],
  kerb: [0xb9bab5, 0x39434f],
  asphalt: [0x777e87, 0x343c47],
  marking: [0xf3f4f2, 0xb4bfca],
  divider: [0xdcdfe0, 0x8d98a4],
  park: [0xbcd7a2, 0x1f3a2b],
  lawn: [0xaccb92, 0x264633],
  square: [0xe3dac6, 0x333840],
  paving: [0xd8ceb8, 0x3b414a],
  wall0: [0xf4efe6, 0x3a4656],
  wall1: [0xeadfcf, 0x414a58],
  wall2: [0xe6d3bd, 0x46495a],
  wall3: [0xd9dde0, 0x364455],
  wall4: [0xe9e4da, 0x3d4b59],
  wall5: [0xdcc9b6, 0x4a4a55],
  wall6: [0xcfa58c, 0x4f4347],
  wall7: [0xd3d9c9, 0x3b4a4c],
  wall8: [0xc9d3da, 0x3a4a5c],
  wall9: [0xe6d5ac, 0x4d4a49],
  ledge: [0xf6f2ea, 0x505c6b],
  chimney: [0xa9735c, 0x4b3c3b],
  solar: [0x3d5575, 0x243247],
  roof0: [0xc27a60, 0x54403f],
  roof1: [0xb06b53, 0x4c3a3a],
  roof2: [0xcb9176, 0x5a4744],
  roof3: [0xa1958d, 0x41464f],
  flat0: [0xecebe6, 0x343f4d],
  flat1: [0xe3e4e3, 0x303b48],
  flat2: [0xefe9de, 0x3a414d],
  rooftop: [0xcdd0d2, 0x4a5666],
  fence: [0xa9a59c, 0x4b5462],
  trunk: [0x7a6350, 0x3c332d],
  leaf0: [0x7fae69, 0x2c5a3d],
  leaf1: [0x6f9f5e, 0x274f38],
  leaf2: [0x93b96f, 0x386a45],
  metal: [0x4d565f, 0x5b6672],
  casing: [0x23282d, 0x12161b],
  lampOff: [0x3a3f42, 0x2a2f34],
  glass: [0x2c3a47, 0x10161c],
  /** Multiplied by the colour of the instance. */
  paint: [0xffffff, 0xffffff],
  tyre: [0x1e2124, 0x0c0e10],
  trim: [0x3a4046, 0x2a3036],
  rim: [0xb8bec3, 0x8a9299],
  lampHead: [0xf5f3e6, 0xfff7d6],
  lampTail: [0xa3221f, 0xa3221f],
  lampSide: [0xd98a1c, 0xd98a1c],
  plate: [0xf4f4ee, 0xd8d8d0],
  lorryCab: [0xd4562f, 0xc04c28],
  lorryBox: [0xf0eee8, 0xb9bec4],
  vanBody: [0xf2c53d, 0xd6ab2d],
  tramBody: [0xc62828, 0xb02525],
  tramBand: [0xf4efe2, 0xd2cdc0],
  skin: [0xd9a27d, 0xc9926d],
  childTop: [0xf2c230, 0xf2c230],
  childLegs: [0x2f5fa8, 0x3f6fb8],
  darkClothes: [0x2b2f36, 0x4a5261],
  hair: [0x4b3426, 0x4b3426],
  fur: [0x9a6a3c, 0xa8774a],
  furLight: [0xd9c2a0, 0xd9c2a0],
  antler: [0x6a5238, 0x8a7050],
  crate: [0xb98a52, 0xa87b46],
  stripe: [0xe4572e, 0xf06a3c],
} as const;

export type Slot = keyof typeof COLOURS;

/** 0 to 1 each. */
export type Tint = readonly [red: number, green: number, blue: number];

/** 0xrrggbb of a slot. */
export const colourOf = (slot: Slot, theme: Theme): number =>
  COLOURS[slot][theme === 'light' ? 0 : 1];

/** By day sunlight is warm, and what it does not reach is lit by the blue sky. */
const MIDDLE_SHADE = 0.85;
const WARMTH = 0.3;

/** Red, green and blue of each corner, 0 to 255. */
export function paint(slots: readonly Slot[], shades: readonly number[], theme: Theme): Uint8Array {
  const bytes = new Uint8Array(slots.length * 3);
  slots.forEach((slot, i) => {
    const colour = colourOf(slot, theme);
    const shade = shades[i] ?? 1;
    const warmth = theme === 'light' && shade !== 1 ? WARMTH * (shade - MIDDLE_SHADE) : 0;
    bytes[3 * i] = Math.min(255, (colour >> 16) * shade * (1 + warmth));
    bytes[3 * i + 1] = Math.min(255, ((colour >> 8) & 255) * shade);
    bytes[3 * i + 2] = Math.min(255, (colour & 255) * shade * (1 - warmth));
  });
  return bytes;
}
