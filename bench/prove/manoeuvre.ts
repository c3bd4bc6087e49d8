import type { FeatureName } from '../../src/twin/catalogue.ts';
import type { PlotPoint } from './plot.ts';

/** A test that is driven twice: with a feature on and with it off. */
export interface Manoeuvre {
  id: string;
  /** Those of one group are judged and drawn together. */
  group: string;
  /** What differs from the others of its group. */
  label: string;
  feature: FeatureName;
  /** Whether it has to pass with the feature; where it need not, it is only reported. */
  passesWith: boolean;
  /** Whether it has to fail without the feature; where it need not, it is only reported. */
  failsWithout: boolean;
  /** Whether the group's plot shows it. */
  isDrawn: boolean;
  run(isOn: boolean): ManoeuvreRun;
}

/** Both runs of one. */
export interface Outcome extends Omit<Manoeuvre, 'run'> {
  on: ManoeuvreRun;
  off: ManoeuvreRun;
}

export interface ManoeuvreRun {
  hasPassed: boolean;
  readings: readonly { name: string; value: number; unit: string }[];
  /** What the group's plot shows; empty where there is nothing to draw. */
  trace: readonly PlotPoint[];
}

/** Text of a group in the report. */
export interface Group {
  name: string;
  /** Source of the test, and what passing it means. */
  asks: string;
  /** Axes of its plot; by default time in s and speed in km/h. */
  x?: string;
  y?: string;
}

/** @param asks by name of the group */
export const groupsOf = (asks: Readonly<Record<string, string>>): Group[] =>
  Object.entries(asks).map(([name, asks]) => ({ name, asks }));
