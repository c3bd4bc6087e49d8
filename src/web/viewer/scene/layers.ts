/** What can be drawn over the city, or left out. */
export const LAYERS = ['sight', 'routes', 'sensors', 'zones', 'spots', 'labels'] as const;
export type Layer = (typeof LAYERS)[number];
export type Layers = Readonly<Record<Layer, boolean>>;

/** What a car sees changes the picture most, and is asked for again and again: a visitor switches it on. */
export const USUAL_LAYERS: Layers = {
  ...{ sight: false, routes: true, sensors: true, zones: true, spots: true, labels: true },
};
