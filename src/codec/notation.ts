/** The constant parts of a frame in one encoding. */
export interface Notation {
  /** The texts between the numbers: FIXED_RUNS of them, in the order of the R_ constants. */
  fixed: readonly Uint8Array[];
  /** The beginning of a frame up to its tick. */
  head(worldId: string): Uint8Array;
  /** A vehicle up to the value of x. */
  vehicle(vin: string): Uint8Array;
  /** From after the speed of a vehicle up to the value of its gap. */
  place(id: string): Uint8Array;
  /** From after the gap of a vehicle to its end. */
  tail(condition: Condition): Uint8Array;
  light(id: string, state: string): Uint8Array;
  /** Up to the value of x. */
  hazard(id: string, kind: string, active: boolean): Uint8Array;
  /** A whole spot without a present hazard. Most spots are so. */
  resting(id: string, kind: string, xCm: number, yCm: number): Uint8Array;
}

export interface Condition {
  braking: boolean;
  aeb: boolean;
  esc: boolean;
  evasive: boolean;
  status: string;
}
