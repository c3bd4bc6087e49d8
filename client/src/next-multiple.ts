/** The first multiple after a tick. */
export function nextMultiple(tick: number, every: number): number {
  return (Math.floor(tick / every) + 1) * every;
}
