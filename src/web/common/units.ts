export const KMH_PER_MPS = 3.6;
export const TICKS_PER_S = 50;
