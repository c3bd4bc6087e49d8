/** Names of paints that nobody says. */
const COLOURS: Readonly<Record<string, string>> = {
  darkorange: 'orange',
  dimgray: 'dark grey',
  firebrick: 'red',
  goldenrod: 'yellow',
  midnightblue: 'dark blue',
  rosybrown: 'pink',
  seagreen: 'green',
  silver: 'silver',
  steelblue: 'blue',
  teal: 'turquoise',
};

/** The everyday name of a colour. */
export function colourName(colour: string): string {
  const name = COLOURS[colour] ?? colour;
  return name.charAt(0).toUpperCase() + name.slice(1);
}
