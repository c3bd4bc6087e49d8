import { rectangle } from '../geometry.ts';
import type { TownPlan } from './town.ts';

/** Terraced houses close to the street. */
const HOUSES = {
  frontM: [26, 46],
  depthM: [12, 16],
  heightM: [9, 15],
  setBackM: 3.2,
  gapM: 0,
} as const;

/**
 * A ring of 50 km/h along the ramparts, with a bend in each corner. Inside, two collectors cross at
 * signals on the High Street, and narrow streets wind between them.
 */
export const OLD_TOWN: TownPlan = {
  junctions: {
    northWest: { x: -150, y: 262, control: 'priority', main: 'Northgate Road' },
    northGate: { x: 0, y: 280, control: 'stop', main: 'Northgate Road' },
    northEast: { x: 152, y: 276, control: 'priority', main: 'Northgate Road' },
    eastNorth: { x: 305, y: 132, control: 'stop', main: 'Northgate Road' },
    eastGate: { x: 305, y: -14, control: 'signals', main: 'Northgate Road' },
    eastSouth: { x: 305, y: -152, control: 'priority', main: 'Northgate Road' },
    southEast: { x: 165, y: -270, control: 'priority', main: 'Northgate Road' },
    southGate: { x: 12, y: -282, control: 'stop', main: 'Northgate Road' },
    southWest: { x: -120, y: -272, control: 'priority', main: 'Northgate Road' },
    westGate: { x: -300, y: -22, control: 'stop', main: 'Northgate Road' },
    westNorth: { x: -305, y: 122, control: 'priority', main: 'Northgate Road' },

    weaversWest: { x: -150, y: 138, control: 'none', mayMove: true },
    weaversCross: { x: 0, y: 150, control: 'stop', main: 'Bridge Street', mayMove: true },
    weaversEast: { x: 150, y: 140, control: 'none', mayMove: true },
    highWest: { x: -155, y: -6, control: 'signals', main: 'High Street', mayMove: true },
    market: { x: -4, y: 6, control: 'priority', main: 'High Street', mayMove: true },
    highEast: { x: 146, y: -2, control: 'priority', main: 'High Street', mayMove: true },
    tannersWest: { x: -140, y: -132, control: 'none', mayMove: true },
    tannersCross: { x: 12, y: -142, control: 'priority', main: 'Tanners Row', mayMove: true },
    tannersEast: { x: 156, y: -144, control: 'none', mayMove: true },

    fishYard: { x: -132, y: -206, control: 'none', mayMove: true },
    goldsmiths: { x: 70, y: 4, control: 'priority', main: 'High Street', mayMove: true },
    coopersYard: { x: 100, y: -140, control: 'none', mayMove: true },
    abbeyLane: { x: 74, y: 146, control: 'none', mayMove: true },
    abbeyTurn: { x: 76, y: 212, control: 'none', mayMove: true },
    cathedralYard: { x: 0, y: 214, control: 'priority', main: 'Bridge Street' },
    abbeyYard: { x: 152, y: 208, control: 'none', mayMove: true },
    ropeYard: { x: -153, y: 64, control: 'none', mayMove: true },
    ropeLane: { x: -228, y: 130, control: 'none', mayMove: true },
    minsterWest: { x: -150, y: 200, control: 'none', mayMove: true },
    minsterRow: { x: -74, y: 144, control: 'none', mayMove: true },
    marketRow: { x: -2, y: 88, control: 'priority', main: 'Bridge Street', mayMove: true },
    candleLane: { x: 148, y: 72, control: 'none', mayMove: true },
    abbeyEast: { x: 230, y: 136, control: 'none', mayMove: true },
    smithGate: { x: -228, y: -14, control: 'stop', main: 'High Street', mayMove: true },
    smithLane: { x: -148, y: -70, control: 'none', mayMove: true },
    dyersRow: { x: -64, y: -134, control: 'none', mayMove: true },
    fishBridge: { x: 12, y: -228, control: 'stop', main: 'Tanner Bridge', mayMove: true },
    potters: { x: 161, y: -208, control: 'none', mayMove: true },
    coopersEast: { x: 232, y: -148, control: 'none', mayMove: true },
  },
  streets: {
    collector: [
      [
        [
          'Northgate Road',
          'westNorth',
          { x: -300, y: 250, radiusM: 40 },
          'northWest',
          'northGate',
          'northEast',
        ],
        [
          'Eastgate Road',
          'northEast',
          { x: 305, y: 280, radiusM: 30 },
          'eastNorth',
          'eastGate',
          'eastSouth',
        ],
        [
          'Southgate Road',
          'eastSouth',
          { x: 305, y: -268, radiusM: 45 },
          'southEast',
          'southGate',
          'southWest',
        ],
        [
          'Castle Road',
          'southWest',
          { x: -298, y: -274, radiusM: 25, hasWall: true },
          'westGate',
          'westNorth',
        ],
      ],
      [
        ['High Street', 'westGate', 'smithGate', 'highWest', 'market'],
        ['Goldsmith Street', 'market', 'goldsmiths', 'highEast', 'eastGate'],
      ],
      [
        ['Bridge Street', 'tannersCross', 'market'],
        ['Cathedral Street', 'market', 'marketRow', 'weaversCross', 'cathedralYard', 'northGate'],
      ],
    ],
    local: [
      [
        ['Weavers Row', 'westNorth', 'ropeLane', 'weaversWest', 'minsterRow', 'weaversCross'],
        ['Abbey Row', 'weaversCross', 'abbeyLane', 'weaversEast', 'abbeyEast', 'eastNorth'],
      ],
      [
        [
          'Tanners Row',
          'fishYard',
          { x: -226, y: -212, radiusM: 12 },
          { x: -230, y: -130, radiusM: 12 },
          'tannersWest',
          'dyersRow',
          'tannersCross',
        ],
        ['Coopers Row', 'tannersCross', 'coopersYard', 'tannersEast', 'coopersEast', 'eastSouth'],
      ],
      [
        ['Baker Street', 'northWest', 'minsterWest', 'weaversWest', 'ropeYard', 'highWest'],
        ['Fish Street', 'highWest', 'smithLane', 'tannersWest', 'fishYard', 'southWest'],
      ],
      [
        ['Abbey Street', 'northEast', 'abbeyYard', 'weaversEast', 'candleLane', 'highEast'],
        ['Potters Street', 'highEast', 'tannersEast', 'potters', 'southEast'],
      ],
      [
        ['Rope Walk', 'ropeLane', { x: -230, y: 60, radiusM: 14 }, 'ropeYard'],
        ['Market Row', 'ropeYard', 'marketRow'],
      ],
      [
        ['Minster Close', 'ropeLane', { x: -228, y: 198, radiusM: 12 }, 'minsterWest'],
        ['Minster Lane', 'minsterWest', { x: -75, y: 204, radiusM: 12 }, 'minsterRow'],
      ],
      [
        ['Abbey Lane', 'abbeyYard', 'abbeyTurn', 'abbeyLane'],
        ['Candle Lane', 'abbeyLane', { x: 72, y: 72, radiusM: 12 }, 'candleLane'],
        ['Chandler Lane', 'candleLane', { x: 232, y: 70, radiusM: 12 }, 'abbeyEast'],
        ['Nuns Walk', 'abbeyEast', { x: 234, y: 206, radiusM: 14 }, 'abbeyYard'],
      ],
      [
        ['Smith Lane', 'smithGate', { x: -226, y: -72, radiusM: 12 }, 'smithLane'],
        ['Dyers Lane', 'smithLane', { x: -66, y: -70, radiusM: 12 }, 'dyersRow'],
      ],
      [
        [
          'Coopers Alley',
          'goldsmiths',
          { x: 68, y: -62, radiusM: 12 },
          { x: 106, y: -66, radiusM: 12 },
          'coopersYard',
        ],
        ['Kiln Lane', 'coopersYard', { x: 98, y: -208, radiusM: 12 }, 'potters'],
        ['Kiln Close', 'potters', { x: 236, y: -210, radiusM: 12 }, 'coopersEast'],
      ],
      [['Salters Row', 'fishYard', 'fishBridge']],
      [['Tanner Bridge', 'southGate', 'fishBridge', 'tannersCross']],
      [['Chantry Lane', 'cathedralYard', 'abbeyTurn']],
    ],
  },
  loopMaxM: 1245,
  stretches: [
    {
      via: ['highEast', 'eastGate', 'eastNorth', 'northEast', 'northGate'],
      kinds: ['deer_crossing', 'fog_stall', 'ice_bend', 'sudden_stop', 'wet_crest'],
    },
    { via: ['weaversEast', 'candleLane', 'highEast'], kinds: ['tram_crossing'] },
    {
      via: ['westGate', 'southWest', 'southGate', 'fishBridge', 'tannersCross', 'market'],
      kinds: [
        'fog_stall',
        'ice_bend',
        'wet_crest',
        'deer_crossing',
        'blind_crossing',
        'dark_zebra',
      ],
    },
    { via: ['market', 'highWest', 'smithGate'], kinds: ['red_light_lorry'] },
  ],
  grounds: [
    { kind: 'park', polygon: rectangle(-112, -303, -2, -285), heightM: 0, solid: false },
    { kind: 'square', polygon: rectangle(-84, 0, -2, 68), heightM: 0, solid: false },
    { kind: 'park', polygon: rectangle(172, -132, 300, -20), heightM: 0, solid: false },
  ],
  styles: [
    { class: 'collector', ...HOUSES },
    { class: 'local', ...HOUSES },
  ],
  moveSteps: 8,
  greenCountMax: 45,
};
