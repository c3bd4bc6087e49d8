import type { CarType } from '../../twin/fleet.ts';

/**
 * Parameters, test vectors and manoeuvres of "CommonRoad: Vehicle Models", version 2020a (Althoff,
 * Würsching; TU Munich), with the limits of its inputs. Angles rad, otherwise SI.
 */
export interface PublishedVehicle {
  m: number;
  Iz: number;
  lf: number;
  lr: number;
  /** Height of the sprung mass: the published code shifts load by it, not by `hCg` as the paper prints. */
  hS: number;
  hCg: number;
  /** Friction. */
  mu: number;
  /** Cornering stiffness of both axles ÷ (friction × load), 1/rad. */
  cS: number;
  aMax: number;
  /** Above this speed power limits acceleration. */
  vSwitch: number;
}

/** Vehicle 1, a Ford Escort. */
export const VEHICLE_1: PublishedVehicle = {
  m: 1225.8878467253344,
  Iz: 1538.8533713561394,
  lf: 0.88392,
  lr: 1.50876,
  hS: 0.59436,
  hCg: 0.557784,
  mu: 1.0489,
  cS: 20.898083706740398,
  aMax: 11.5,
  vSwitch: 4.755,
};

/** Vehicle 2, a BMW 320i. */
export const VEHICLE_2: PublishedVehicle = {
  m: 1093.2952334674046,
  Iz: 1791.5995300122856,
  lf: 1.1561957064,
  lr: 1.4227170936,
  hS: 0.61373004,
  hCg: 0.5748689544,
  mu: 1.0489,
  cS: 20.898083706740398,
  aMax: 11.5,
  vSwitch: 7.319,
};

/** The same car as the kernel takes it. */
export const VEHICLE_2_TYPE: CarType = {
  model: 'BMW 320i',
  lengthM: 4.508,
  widthM: 1.61,
  massKg: VEHICLE_2.m,
  yawInertiaKgM2: VEHICLE_2.Iz,
  wheelbaseM: VEHICLE_2.lf + VEHICLE_2.lr,
  lrM: VEHICLE_2.lr,
  heightM: VEHICLE_2.hS,
  centreM: 0,
  stiffnessFront: VEHICLE_2.cS,
  stiffnessRear: VEHICLE_2.cS,
  drive: 'rear',
  brakeFront: 0.66,
};

/** Time, s, and the state of the published single-track models at it. */
export type TimedState = readonly [
  t: number,
  x: number,
  y: number,
  delta: number,
  v: number,
  psi: number,
  yawRate: number,
  beta: number,
];

/** Power limit of the published acceleration input. */
export function limitedAccel(
  { aMax, vSwitch }: PublishedVehicle,
  v: number,
  accel: number,
): number {
  return Math.max(-aMax, Math.min(accel, aMax * Math.min(1, vSwitch / v)));
}

/** From 15 m/s straight on, with constant steering rate and acceleration. */
export interface Manoeuvre {
  name: string;
  /** rad/s */
  steerRate: number;
  /** m/s² */
  accel: number;
  /** Of the published single-track model (ST), integrated to 1e-13. */
  singleTrack: readonly TimedState[];
  /** Of the published single-track drift model (STD), whose tyres saturate, to 1e-6. */
  singleTrackDrift: readonly TimedState[];
}

/** The manoeuvres of the paper's section 11, with vehicle 2. */
export const MANOEUVRES: readonly Manoeuvre[] = [
  {
    name: 'coast, left',
    steerRate: 0.15,
    accel: 0,
    singleTrack: [
      [
        0.25, 3.7497779508282747, 0.030983100847552795, 0.03749999999999999, 15,
        0.016204956597382962, 0.15914677071980832, 0.0076820279632993736,
      ],
      [
        0.5, 7.493108768663992, 0.2401242408197317, 0.075, 15, 0.08295311372035932,
        0.37564672244676633, 0.01362283204831025,
      ],
      [
        0.75, 11.195454290667085, 0.8200289120426828, 0.11249999999999999, 15, 0.20412089272944814,
        0.593717648207165, 0.019119859412594073,
      ],
      [
        1.0, 14.76263958786789, 1.95985804174833, 0.15, 15, 0.3798144735643339, 0.8118316048748371,
        0.024593733308847277,
      ],
    ],
    singleTrackDrift: [
      [0.5, 7.48876205, 0.233117507, 0.075, 14.9652382, 0.080607796, 0.358337708, 0.0119900182],
      [1.0, 14.7426631, 1.78403322, 0.15, 14.7444622, 0.345935097, 0.673787247, 0.0053675258],
    ],
  },
  {
    name: 'brake 0.7 g, left',
    steerRate: 0.15,
    accel: -6.867,
    singleTrack: [
      [
        0.25, 3.535143505399041, 0.032675467515033196, 0.037500000000000006, 13.28324999999998,
        0.018704908567650835, 0.17947810172919634, 0.008329996251456027,
      ],
      [
        0.5, 6.63468945798338, 0.22315694678051595, 0.075, 11.566499999999959, 0.0898738766095607,
        0.3787213628793295, 0.01689351441129279,
      ],
      [
        0.75, 9.27336671581031, 0.6638586171238687, 0.1125, 9.849749999999938, 0.2010054477773541,
        0.49582649255686184, 0.03283562956061389,
      ],
      [
        1.0, 11.41427969194793, 1.3416886554434746, 0.15000000000000002, 8.132999999999916,
        0.33121776980730433, 0.5343369205732817, 0.05552102391811329,
      ],
    ],
    singleTrackDrift: [
      [0.5, 6.65908459, 0.217861363, 0.075, 11.6345868, 0.0868476698, 0.37360021, 0.0149184754],
      [1.0, 11.4738597, 1.30393101, 0.15, 8.16184222, 0.34288116, 0.598995777, 0.0394672469],
    ],
  },
  {
    name: 'brake 0.75 g, left',
    steerRate: 0.15,
    accel: -7.3575,
    singleTrack: [
      [
        0.25, 3.5198138682678124, 0.03269675488762758, 0.03749999999999999, 13.160624999999971,
        0.01886796604823613, 0.1808176887785015, 0.008322282769372084,
      ],
      [
        0.5, 6.573429811069229, 0.22099528297178542, 0.07499999999999998, 11.321249999999932,
        0.09025003474466235, 0.37781076265747315, 0.01694521715276362,
      ],
      [
        0.75, 9.136541963819369, 0.6493293328920949, 0.11249999999999999, 9.48187499999989,
        0.1999404826671714, 0.483775399851039, 0.03364467177553781,
      ],
      [
        1.0, 11.17672666970188, 1.2905185903856082, 0.15, 7.642499999999857, 0.32505835218802376,
        0.5050263352851724, 0.05745036690619149,
      ],
    ],
    singleTrackDrift: [],
  },
  {
    name: 'accelerate 0.63 g, left',
    steerRate: 0.15,
    accel: 6.180300000000001,
    singleTrack: [
      [
        0.25, 3.9200668050123983, 0.02764921126204045, 0.037500000000000006, 16.342712443165606,
        0.013758165194138926, 0.1385371173863864, 0.006508231909600954,
      ],
      [
        0.5, 8.157008445018006, 0.23287960290940518, 0.075, 17.583187993080212, 0.07391617515626578,
        0.3467735367877819, 0.00981452486880257,
      ],
      [
        0.75, 12.654139565667245, 0.8529286697660216, 0.1125, 18.74173817979539,
        0.18888051062236777, 0.5761559437142939, 0.00912783023972646,
      ],
      [
        1.0, 17.285057547235954, 2.179814681987441, 0.15000000000000002, 19.83272548088135,
        0.36351031467985495, 0.8237436022966396, 0.004684055080907412,
      ],
    ],
    singleTrackDrift: [
      [0.5, 8.13113133, 0.223302243, 0.075, 17.4755293, 0.0734133193, 0.320383904, 0.0056197118],
      [1.0, 17.2309421, 1.81722979, 0.15, 19.4526484, 0.285302534, 0.466663251, -0.0114058361],
    ],
  },
  {
    name: 'brake 0.7 g, straight on',
    steerRate: 0,
    accel: -6.867,
    singleTrack: [
      [0.25, 3.5354062499999968, 0, 0, 13.283249999999978, 0, 0, 0],
      [0.5, 6.641624999999989, 0, 0, 11.566499999999957, 0, 0, 0],
      [0.75, 9.318656249999972, 0, 0, 9.849749999999936, 0, 0, 0],
      [1.0, 11.566499999999953, 0, 0, 8.132999999999914, 0, 0, 0],
    ],
    singleTrackDrift: [],
  },
];
