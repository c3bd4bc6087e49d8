/** Distance from the front bumper back to the camera, m. */
export const CAMERA_BEHIND_M = 1.6;
/** Distance from the middle of the front bumper to each corner radar, m. */
export const CORNER_ASIDE_M = 0.75;
