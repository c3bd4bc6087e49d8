/** Writes what was noticed of a world, one line each, for whoever runs the client. */
export function logFault(world: string, tick: number, reason: string): void {
  console.error(`world ${world} at tick ${tick}: ${reason}`);
}
