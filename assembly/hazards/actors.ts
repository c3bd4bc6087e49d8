/** Sends the actors of the spots that are due, once a look. */
export function sendActors(slab: usize, city: usize): void {}

/** Moves the actors that are on their way by one tick. */
export function moveActors(slab: usize, city: usize): void {}
