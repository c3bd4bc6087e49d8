import { rectangle } from '../geometry.ts';
import type { TownPlan } from './town.ts';

const ALONG_RING = {
  frontM: [34, 56],
  depthM: [14, 18],
  heightM: [12, 24],
  setBackM: 7,
  gapM: 6,
} as const;

const CENTRE = {
  frontM: [26, 48],
  depthM: [13, 17],
  heightM: [11, 20],
  setBackM: 3.5,
  gapM: 0,
} as const;

const SUBURB = {
  frontM: [22, 32],
  depthM: [11, 14],
  heightM: [6, 9],
  setBackM: 4.5,
  gapM: 9,
} as const;

const WORKS = {
  frontM: [40, 64],
  depthM: [22, 30],
  heightM: [7, 14],
  setBackM: 6,
  gapM: 10,
} as const;

const INSIDE_RING = { minX: -240, minY: -190, maxX: 240, maxY: 190 };
const WORKS_QUARTER = { minX: -400, minY: -400, maxX: -100, maxY: -30 };

/**
 * A four-lane ring road of 60 km/h with signals around the centre. Collectors with bends in their
 * corners enclose suburbs in the north, works and a park in the south.
 */
export const MIXED_TOWN: TownPlan = {
  junctions: {
    ringChapel: { x: -60, y: 190, control: 'signals', main: 'Northern Ring' },
    ringHill: { x: 110, y: 190, control: 'signals', main: 'Northern Ring' },
    ringEast: { x: 240, y: 32, control: 'priority', main: 'Northern Ring' },
    ringHarbour: { x: 240, y: -76, control: 'signals', main: 'Northern Ring' },
    ringPark: { x: 85, y: -190, control: 'signals', main: 'Northern Ring' },
    ringStation: { x: -80, y: -190, control: 'signals', main: 'Northern Ring' },
    ringQuarry: { x: -240, y: -30, control: 'signals', main: 'Northern Ring' },
    ringGarden: { x: -240, y: 70, control: 'priority', main: 'Northern Ring' },

    townHall: { x: -60, y: 0, control: 'signals', main: 'Main Street', mayMove: true },
    chapelRow: { x: -58, y: 92, control: 'stop', main: 'Station Street', mayMove: true },
    stationRow: { x: -70, y: -96, control: 'priority', main: 'Station Row', mayMove: true },
    bankCorner: { x: -146, y: -12, control: 'priority', main: 'Main Street', mayMove: true },
    gardenRow: { x: -148, y: 82, control: 'none', mayMove: true },
    millCross: { x: 84, y: 6, control: 'stop', main: 'Main Street', mayMove: true },
    millNorth: { x: 98, y: 98, control: 'none', mayMove: true },
    millSouth: { x: 80, y: -96, control: 'none', mayMove: true },
    market: { x: 164, y: 14, control: 'priority', main: 'Main Street', mayMove: true },
    brewery: { x: 162, y: -86, control: 'none', mayMove: true },

    maltWest: { x: 82, y: -45, control: 'none' },
    maltEast: { x: 163, y: -36, control: 'none' },
    coinWest: { x: -148, y: -58, control: 'none' },
    coinEast: { x: -66, y: -50, control: 'priority', main: 'Station Street' },

    hillWest: { x: 214, y: 302, control: 'priority', main: 'Hill Road' },
    hillEast: { x: 352, y: 156, control: 'stop', main: 'Hill Road' },
    quarryWest: { x: -365, y: -160, control: 'stop', main: 'Quarry Road' },
    quarrySouth: { x: -286, y: -325, control: 'priority', main: 'Quarry Road' },
    birchNorth: { x: -150, y: 326, control: 'none', mayMove: true },
    elmNorth: { x: -258, y: 322, control: 'none', mayMove: true },
    elmSouth: { x: -254, y: 232, control: 'none', mayMove: true },
    birchWest: { x: -382, y: 190, control: 'none', mayMove: true },
  },
  streets: {
    arterial: [
      [
        ['Northern Ring', 'ringGarden', { x: -240, y: 190, radiusM: 75 }, 'ringChapel', 'ringHill'],
        ['Eastern Ring', 'ringHill', { x: 240, y: 190, radiusM: 75 }, 'ringEast', 'ringHarbour'],
        [
          'Southern Ring',
          'ringHarbour',
          { x: 240, y: -190, radiusM: 75 },
          'ringPark',
          'ringStation',
        ],
        [
          'Western Ring',
          'ringStation',
          { x: -240, y: -190, radiusM: 75 },
          'ringQuarry',
          'ringGarden',
        ],
      ],
    ],
    collector: [
      [['Main Street', 'ringQuarry', 'bankCorner', 'townHall', 'millCross', 'market', 'ringEast']],
      [['Station Street', 'stationRow', 'coinEast', 'townHall', 'chapelRow', 'ringChapel']],
      [
        [
          'Hill Road',
          'ringHill',
          { x: 110, y: 308, radiusM: 30 },
          'hillWest',
          { x: 352, y: 298, radiusM: 25, hasWall: true },
          'hillEast',
          { x: 352, y: 36, radiusM: 30 },
          'ringEast',
        ],
      ],
      [
        [
          'Harbour Road',
          'ringPark',
          { x: 85, y: -325, radiusM: 30 },
          { x: 385, y: -325, radiusM: 25, hasWall: true },
          { x: 385, y: -78, radiusM: 40 },
          'ringHarbour',
        ],
      ],
      [
        [
          'Quarry Road',
          'ringQuarry',
          { x: -365, y: -36, radiusM: 34 },
          'quarryWest',
          { x: -365, y: -325, radiusM: 45 },
          'quarrySouth',
          { x: -82, y: -325, radiusM: 30 },
          'ringStation',
        ],
      ],
    ],
    local: [
      [
        ['Mill Street', 'ringHill', 'millNorth', 'millCross'],
        ['Bridge Street', 'millCross', 'maltWest', 'millSouth', 'ringPark'],
      ],
      [
        ['Garden Row', 'ringGarden', 'gardenRow', 'chapelRow'],
        ['Chapel Row', 'chapelRow', 'millNorth', { x: 166, y: 102, radiusM: 13 }, 'market'],
      ],
      [
        ['Bank Street', 'gardenRow', 'bankCorner'],
        [
          'Station Row',
          'bankCorner',
          'coinWest',
          { x: -148, y: -98, radiusM: 13 },
          'stationRow',
          'millSouth',
        ],
        ['Brewery Row', 'millSouth', 'brewery', 'ringHarbour'],
      ],
      [
        ['Market Lane', 'market', 'maltEast'],
        ['Cask Lane', 'maltEast', 'brewery'],
      ],
      [['Malt Row', 'maltWest', 'maltEast']],
      [['Coin Street', 'coinWest', 'coinEast']],
      [['Depot Street', 'ringStation', 'stationRow']],
      [
        [
          'Orchard Close',
          'hillWest',
          { x: 212, y: 244, radiusM: 13 },
          { x: 312, y: 240, radiusM: 12 },
          { x: 310, y: 158, radiusM: 12 },
          'hillEast',
        ],
      ],
      [['Kiln Lane', 'quarryWest', { x: -288, y: -162, radiusM: 14 }, 'quarrySouth']],
      [
        ['Birch Road', 'ringChapel', { x: -62, y: 328, radiusM: 14 }, 'birchNorth', 'elmNorth'],
        ['Larch Road', 'elmNorth', { x: -384, y: 320, radiusM: 16 }, 'birchWest'],
        ['Garden Road', 'birchWest', { x: -382, y: 72, radiusM: 16 }, 'ringGarden'],
      ],
      [
        ['Elm Close', 'elmNorth', 'elmSouth'],
        ['Ash Close', 'birchNorth', { x: -150, y: 230, radiusM: 13 }, 'elmSouth'],
        ['Rowan Close', 'elmSouth', 'birchWest'],
      ],
    ],
  },
  loopMaxM: 1200,
  stretches: [
    {
      via: ['ringEast', 'hillEast', 'hillWest', 'ringHill', 'millNorth', 'millCross'],
      kinds: ['dark_zebra', 'deer_crossing', 'fog_stall', 'wet_crest', 'ice_bend', 'tram_crossing'],
    },
    {
      via: ['ringQuarry', 'quarryWest', 'quarrySouth', 'ringStation', 'stationRow', 'coinEast'],
      kinds: [
        'dark_zebra',
        'deer_crossing',
        'fog_stall',
        'wet_crest',
        'ice_bend',
        'blind_crossing',
      ],
    },
    { via: ['bankCorner', 'ringQuarry', 'quarryWest'], kinds: ['red_light_lorry'] },
    { via: ['millNorth', 'millCross', 'maltWest'], kinds: ['downhill_stop'] },
    { via: ['quarrySouth', 'ringStation'], kinds: ['blind_stall'] },
  ],
  grounds: [
    { kind: 'park', polygon: rectangle(357, 60, 373, 152), heightM: 0, solid: false },
    { kind: 'park', polygon: rectangle(-386, -158, -370, -52), heightM: 0, solid: false },
    { kind: 'square', polygon: rectangle(-60, 0, 4, 54), heightM: 0, solid: false },
    { kind: 'park', polygon: rectangle(150, -324, 340, -250), heightM: 0, solid: false },
    { kind: 'park', polygon: rectangle(290, -242, 384, -120), heightM: 0, solid: false },
  ],
  styles: [
    { class: 'arterial', ...ALONG_RING },
    { class: 'collector', within: INSIDE_RING, ...CENTRE },
    { class: 'local', within: INSIDE_RING, ...CENTRE },
    { class: 'collector', within: WORKS_QUARTER, ...WORKS },
    { class: 'local', within: WORKS_QUARTER, ...WORKS },
    { class: 'collector', ...SUBURB },
    { class: 'local', ...SUBURB },
  ],
  moveSteps: 6,
  greenCountMax: 45,
};
