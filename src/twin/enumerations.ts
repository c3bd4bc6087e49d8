// Apart from the schemas that name them: the threads of the shards load no schemas.

/** Of a car, in the order of the kernel's numbers, STATUS_. */
export const STATUSES = ['driving', 'stopped', 'crashed'] as const;
/** Of a traffic light, in the order of the kernel's numbers, LIGHT_. */
export const LIGHT_STATES = ['red', 'red_amber', 'amber', 'green'] as const;
/** CSS colour names, so that any client can paint a car. */
export const COLOURS: readonly string[] = [
  'white',
  'silver',
  'dimgray',
  'black',
  'midnightblue',
  'steelblue',
  'teal',
  'seagreen',
  'goldenrod',
  'darkorange',
  'firebrick',
  'rosybrown',
];

/** What would come of a feature that is off. */
export const OUTLOOK_CONSEQUENCES = [
  'collision',
  'red_light',
  'lane_departure',
  'right_of_way',
  'stall',
] as const;
