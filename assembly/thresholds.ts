/** Limits that several phases share. Each has one meaning; equal numbers may differ in meaning. */

/** Speed below which a car counts as stopped: in the public state, for clearing and for towing, m/s. */
export const STOPPED_MPS = 0.1;
/** Speed below which a car at a junction counts as waiting, m/s. */
export const WAITING_MPS = 0.3;
/** Speed above which sensors can tell that an object moves, m/s. */
export const MOVING_MPS = 0.5;
/** Speed below which the actors of hazards treat a car as standing, m/s. */
export const STANDING_FOR_ACTORS_MPS = 0.5;
/** Speed above which a car inside a junction counts as leaving, m/s. */
export const LEAVING_MPS = 2.0;
/** Strongest braking of a driver without an emergency, m/s². */
export const DRIVER_DECEL_MAX = 3.5;
/** A wreck, a lost car and an actor that was struck are cleared after so many ticks (12 s). */
export const CLEAR_TICKS: u32 = 600;
