import type { Living } from './living.ts';
import { CityLink, viewerLink } from './parts.tsx';
import type { Car } from './types.ts';

const STATUS = { driving: '', stopped: 'standing', crashed: 'crashed' } as const;
const CRASH_AGO_S = 600;

interface LivingCellProps {
  car: Car;
  living: Living | undefined;
  /** Where the car is in no city. */
  elsewhere?: string;
}

/** How a car drives at the moment, its last collision, and the way to its city. */
export function LivingCell({ car, living, elsewhere = '–' }: LivingCellProps) {
  if (car.viewer_url === null) return <span class="soft">{elsewhere}</span>;
  return (
    <span class="two-lines">
      {living === undefined ? null : <span>{courseOf(living)}</span>}
      <Crash car={car} living={living} />
      <CityLink car={car} />
    </span>
  );
}

/** “41 km/h, Storgatan”. */
export function courseOf({ kmh, street, status }: Living): string {
  const speed = STATUS[status] || `${Math.round(kmh)} km/h`;
  return `${speed}, ${street ?? 'at a junction'}`;
}

/** The last collision, if it was not long ago. */
function Crash({ car, living }: Pick<LivingCellProps, 'car' | 'living'>) {
  const crash = living?.crash;
  if (!crash || crash.agoS > CRASH_AGO_S || car.viewer_url === null) return null;
  return (
    <span class="crash">
      Collided {agoText(crash.agoS)} ago ·{' '}
      <a {...viewerLink(car.viewer_url, { incident: crash.incident })}>
        See why<span class="visually-hidden"> {car.plate ?? car.vin} collided</span>
      </a>
    </span>
  );
}

const agoText = (seconds: number): string =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
